import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../gateway/password.ts'
import { Failed, say } from './terminal.ts'

/** Reads a password to the end of the input, so that it is in no shell's history and no list of processes. */
export async function readPassword(input: NodeJS.ReadStream): Promise<string> {
  if (input.isTTY) say('Type the password, a line break and Ctrl-D. It can be seen while you type.')
  const chunks: Buffer[] = []
  for await (const chunk of input) chunks.push(Buffer.from(chunk))
  const password = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  const length = [...password].length
  if (length >= SHORTEST_PASSWORD && length <= LONGEST_PASSWORD && !/\p{Cc}/u.test(password)) return password
  const came = /\p{Cc}/u.test(password) ? 'a control character' : `${length} characters`
  throw new Failed(
    `expected on standard input a password of ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters, ` +
      `on one line; got ${came}`,
    2,
  )
}
