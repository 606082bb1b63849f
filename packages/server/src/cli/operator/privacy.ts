import { mkdirSync, readdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { requireAccount } from '../../accounts/index.ts'
import { moneyOfDecimal } from '../../kernel/money/shown.ts'
import {
  beginExport,
  type EraseOptions,
  EXPORTED,
  eraseAccount,
  eraseNumber,
  exportName,
  exportRows,
} from '../../operate/privacy/index.ts'
import { isPostgres } from '../../store/postgres/address.ts'
import { clearDeleted } from '../../store/wipe.ts'
import { phoneNumber } from '../arguments.ts'
import { runOptions } from '../settings.ts'
import { counted, Failed, lines, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { type StoreFlags, withAudit, withParts, withReason } from './store.ts'

interface ExportFlags extends StoreFlags, OutputFlags {
  out?: string
}

export function accountExportCommand(): Command {
  return withJson(withAudit(new Command('export')))
    .description('Write everything of an account into files of JSON lines, without its secrets.')
    .argument('<account>', 'its ID or e-mail')
    .option('--out <folder>', 'an empty or new folder (default: wigwag-export-<account ID>)')
    .action(exportAccount)
}

async function exportAccount(idOrEmail: string, flags: ExportFlags): Promise<void> {
  const result = await withParts(flags, async (parts, { showCarriers }) => {
    const { database } = parts
    const { id } = await database.read((tx) => requireAccount(tx, idOrEmail))
    const folder = flags.out ?? `wigwag-export-${id}`
    makeFolder(folder)
    await beginExport(parts, id)
    const files: { file: string; rows: number }[] = []
    for (const name of EXPORTED) {
      const file = `${exportName(name)}.jsonl`
      files.push({
        file,
        rows: await writeRows(exportRows(database, id, name, showCarriers), join(folder, file)),
      })
    }
    return { accountId: id, folder, files }
  })
  output(
    flags,
    result,
    table(
      ['FILE', 'ROWS'],
      result.files.map(({ file, rows }) => [file, rows]),
    ),
  )
  say(
    `Everything of account ${result.accountId} is in ${result.folder}. It holds personal data: delete it after use.`,
  )
}

async function writeRows(rows: ReturnType<typeof exportRows>, path: string): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  try {
    let written = 0
    for await (const row of rows) {
      await file.write(`${JSON.stringify(row)}\n`)
      written++
    }
    return written
  } finally {
    await file.close()
  }
}

/** The folder is readable by its owner only. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') throw new Failed(`there is no folder to make ${folder} in`)
    if (code !== 'EEXIST') throw error
    const isEmpty = isEmptyFolder(folder)
    if (!isEmpty)
      throw new Failed(`--out: expected an empty or new folder, but ${folder} has something in it`)
  }
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0
  } catch {
    return false
  }
}

export function accountEraseCommand(): Command {
  return withErasing(withJson(withAudit(new Command('erase'))))
    .description(
      'Erase a suspended account, its messages, its keys and who it belongs to, but not its ledger.',
    )
    .argument('<account>', 'its ID or e-mail')
    .option(
      '--despite-balance',
      'although money is left, which stays in the books and can no longer be spent',
    )
    .option('--despite-open', 'although messages are under way: deletes them and releases their holds')
    .action(eraseAccountAndSay)
}

async function eraseAccountAndSay(
  idOrEmail: string,
  flags: EraseFlags & OutputFlags & EraseOptions,
): Promise<void> {
  requireYes(flags, `Erasing account ${idOrEmail}`)
  const erased = await withParts(flags, (parts) => eraseAccount(parts, idOrEmail, flags))
  await clearIfAsked(flags)
  const { accountId, wallets } = erased
  output(
    flags,
    erased,
    lines([
      ['account ID', accountId],
      ...wallets.map(
        ({ walletId, balance, currency }) =>
          ['wallet', `${walletId}: ${moneyOfDecimal(balance, currency)} left in the books`] as const,
      ),
    ]),
  )
  say(`Account ${accountId} is erased. Its ledger, its totals and the ids in its audit entries stay.`)
}

export function numberCommand(): Command {
  const erase = withErasing(withJson(withReason(new Command('erase'))))
    .description(
      'Remove a number, the texts sent to it and the callbacks about them, but not money and totals.',
    )
    .argument('<number>', 'in international form, such as 233241234567', phoneNumber)
    .addHelpText('after', HELP)
    .action(eraseNumberAndSay)
  return new Command('number').description('Phone numbers of recipients.').addCommand(erase)
}

const HELP = `
Scheduled messages to the number are cancelled. Messages under way keep it until
they are final: the command then exits with code 1 and is to be run again. The
number is found with its national prefix as well (233 0 24…), whichever way it
is given. It is not blocked: a later send to it is stored again. The reason
is kept, so leave the number out of it.`

async function eraseNumberAndSay(number: string, flags: EraseFlags & OutputFlags): Promise<void> {
  requireYes(flags, `Erasing ${number}`)
  const { removed, cancelled, underWay } = await withParts(flags, (parts) => eraseNumber(parts, number))
  await clearIfAsked(flags)
  const rows = Object.entries(removed)
  output(flags, { removed, cancelled, underWay }, rows.length > 0 ? table(['TABLE', 'ROWS'], rows) : '')
  if (rows.length === 0) say('The number was found nowhere.')
  if (cancelled > 0) say(`${counted(cancelled, 'scheduled message')} cancelled.`)
  if (underWay > 0)
    throw new Failed(
      `${counted(underWay, 'message is', 'messages are')} under way and still ${underWay === 1 ? 'has' : 'have'} the number: run this again when they are final`,
    )
}

interface EraseFlags extends StoreFlags {
  yes?: true
  vacuum?: true
}

/** Adds the flags of commands that erase. */
function withErasing(command: Command): Command {
  return command
    .option('--yes', 'erase; without it, nothing is changed')
    .option(
      '--vacuum',
      'also clear the deleted bytes in the files of the database; on SQLite, sends wait meanwhile',
    )
}

/** Stops unless the operator said yes: what is erased can't be brought back. */
function requireYes({ yes }: EraseFlags, what: string): void {
  if (!yes) throw new Failed(`${what} can't be undone; pass --yes to do it. Nothing was changed.`, 2)
}

/** Clears deleted bytes if asked to, after the command has closed the database. Else says where some may be left. */
async function clearIfAsked({ database, vacuum }: EraseFlags): Promise<void> {
  const { config, onFatal } = await runOptions({ database })
  const { database: url, postgresConnections } = config
  if (vacuum) await clearDeleted({ url, postgresConnections, onFatal, onIdleError: onFatal })
  else if (!isPostgres(url))
    say(
      'Bytes of deleted rows may be left in the file until they are overwritten: pass --vacuum in a quiet hour.',
    )
}
