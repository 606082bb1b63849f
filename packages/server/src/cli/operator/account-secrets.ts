import { Command, Option } from 'commander'
import { KEEP_MS, requireAccount } from '../../accounts/index.ts'
import {
  hashPasswordHere,
  LONGEST_PASSWORD,
  passwordMistake,
  SHORTEST_PASSWORD,
} from '../../sign-in/portal/index.ts'
import { type CommandProcess, commandProcess } from '../command-process.ts'
import { counted, Failed, lines, type OutputFlags, output, say, withJson } from '../terminal.ts'
import { accountLine } from './account-line.ts'
import { type StoreFlags, withAudit, withParts } from './store.ts'

/** How long an old secret may be kept, as people write it. */
const KEPT = { '1h': KEEP_MS.PT1H, '24h': KEEP_MS.P1D, '7d': KEEP_MS.P7D }

interface RotateFlags extends StoreFlags, OutputFlags {
  keep?: keyof typeof KEPT
}

export function accountRotateCommands(): Command[] {
  return [
    rotateCommand('rotate-secret', 'client secret').action(rotateSecret),
    rotateCommand('rotate-wallet-token', 'wallet token').action(rotateWalletToken),
    withJson(withAudit(new Command('rotate-callback-secret')))
      .description('Give an account a new callback secret, beside which the old one signs for 24 hours.')
      .argument('<account>', 'its ID or e-mail')
      .action(rotateCallbackSecret),
  ]
}

function rotateCommand(name: string, secret: string): Command {
  return withJson(withAudit(new Command(name)))
    .description(`Give an account a new ${secret}; the old one stops at once, unless it is kept.`)
    .argument('<account>', 'its ID or e-mail')
    .addOption(new Option('--keep <time>', 'how long the old one works on').choices(Object.keys(KEPT)))
}

async function rotateSecret(idOrEmail: string, flags: RotateFlags): Promise<void> {
  const made = await withParts(flags, ({ operator }) => operator.rotateSecret(idOrEmail, keepMs(flags)))
  const { clientId, clientSecret } = made
  const text = lines([
    ['client ID', clientId],
    ['client secret', clientSecret],
  ])
  output(flags, { clientId, clientSecret, ...keptUntil(flags, made) }, text)
  say('Keep it: the client secret cannot be shown again.')
  sayHowLong(flags, made)
}

async function rotateWalletToken(idOrEmail: string, flags: RotateFlags): Promise<void> {
  const made = await withParts(flags, ({ operator }) => operator.rotateWalletToken(idOrEmail, keepMs(flags)))
  const { walletToken } = made
  output(flags, { walletToken, ...keptUntil(flags, made) }, lines([['wallet token', walletToken]]))
  say('Keep it: the wallet token cannot be shown again.')
  sayHowLong(flags, made)
}

async function rotateCallbackSecret(idOrEmail: string, flags: StoreFlags & OutputFlags): Promise<void> {
  const made = await withParts(flags, ({ operator }) => operator.rotateCallbackSecret(idOrEmail))
  const previousUntil = new Date(made.previousUntil).toISOString()
  const { callbackSecret } = made
  output(flags, { callbackSecret, previousUntil }, lines([['callback secret', callbackSecret]]))
  say(`Callbacks carry the signatures of both secrets until ${previousUntil}.`)
}

function keepMs({ keep }: RotateFlags): number {
  return keep === undefined ? 0 : KEPT[keep]
}

/** When the old one ends, if it is kept. */
function keptUntil({ keep }: RotateFlags, { previousUntil }: { previousUntil: number }) {
  return keep === undefined ? {} : { previousUntil: new Date(previousUntil).toISOString() }
}

function sayHowLong(flags: RotateFlags, made: { previousUntil: number }): void {
  const { previousUntil } = keptUntil(flags, made)
  if (previousUntil !== undefined) say(`The old one works until ${previousUntil}.`)
}

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
  if (length >= SHORTEST_PASSWORD && length <= LONGEST_PASSWORD && !/\p{Cc}/u.test(password)) {
    const mistake = passwordMistake(password, [])
    if (mistake === undefined) return password
    throw new Failed(mistake.replace(/^E/, 'e'), 2)
  }
  const came = /\p{Cc}/u.test(password) ? 'a control character' : `${length} characters`
  throw new Failed(
    `expected on standard input a password of ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters, ` +
      `on one line; got ${came}`,
    2,
  )
}
