import { Command } from 'commander'
import { requireAccount } from '../../../accounts/index.ts'
import { hashPasswordHere, LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../../portal/index.ts'
import { type CommandProcess, commandProcess } from '../../command-process.ts'
import { counted, Failed, type OutputFlags, output, say, withJson } from '../../terminal.ts'
import { type StoreFlags, withAudit, withParts } from '../store.ts'
import { accountLine } from './account-line.ts'

export function accountPasswordCommand(): Command {
  return withJson(withAudit(new Command('set-password')))
    .description("Give an account a new password; end its sessions and its assistants' connections.")
    .argument('<account>', 'its ID or e-mail')
    .requiredOption('--password-stdin', 'read the password from standard input')
    .option('--keep-connections', 'leave its assistants connected')
    .action(setPassword)
}

interface PasswordFlags extends StoreFlags, OutputFlags {
  keepConnections?: true
}

async function setPassword(idOrEmail: string, flags: PasswordFlags): Promise<void> {
  const passwordHash = await readPasswordHash()
  const { account, ended } = await withParts(flags, async ({ operator, database }) => {
    const ended = await operator.setPassword(idOrEmail, passwordHash, {
      keepConnections: flags.keepConnections === true,
    })
    return { account: accountLine(await database.read((tx) => requireAccount(tx, idOrEmail))), ended }
  })
  output(flags, { ...account, endedConnections: ended }, '')
  say(`${account.name} (${account.email}) now signs in with the new password.`)
  if (ended.length > 0) say(`${counted(ended.length, 'connection')} of assistants ended.`)
}

/** Reads a password from standard input, and hashes it for storage. */
export async function readPasswordHash(): Promise<string> {
  const { stdin, hashPassword = hashPasswordHere } = commandProcess()
  return hashPassword(await readPassword(stdin))
}

/** Reads a password from standard input, which keeps it out of shell history and process lists. */
async function readPassword(input: CommandProcess['stdin']): Promise<string> {
  if (input.isTTY) say('Type the password, a line break and Ctrl-D. It is visible while you type.')
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
