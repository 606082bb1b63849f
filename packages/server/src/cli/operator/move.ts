import { existsSync } from 'node:fs'
import { shownUrl } from '@wigwag/contract'
import { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { names } from '../../config/setting-values.ts'
import { MoveRefused, move, openSource, takeBack } from '../../operate/moving/index.ts'
import { fileOf, openDatabase } from '../../store/open.ts'
import { hasPassword, isPostgres } from '../../store/postgres/address.ts'
import { secretFileOf } from '../../store/secrets/sandbox-secret.ts'
import { personName } from '../arguments.ts'
import { commandProcess } from '../command-process.ts'
import { runOptions } from '../settings.ts'
import { Failed, type OutputFlags, say, startProgress, withJson } from '../terminal.ts'
import { moveOneAccount, report, takeAccountBack } from './move-account.ts'

/** The database that `--from` names, where its address has a password. */
const MOVE_FROM = 'WIGWAG_MOVE_FROM'

interface MoveFlags extends OutputFlags {
  from: string
  to?: string
  undo?: boolean
  account?: string
  cancelScheduled?: true
  by?: string
}

export function moveCommand(): Command {
  return withJson(new Command('move'))
    .description(
      'Move everything of a stopped gateway from an SQLite file to an empty PostgreSQL database, or one account from cell to cell.',
    )
    .option(
      '--from <url>',
      'the SQLite database: file:./wigwag.db; with --account that of a cell (WIGWAG_MOVE_FROM)',
      address('--from', MOVE_FROM),
    )
    .option(
      '--to <url>',
      'the PostgreSQL database: postgres://user@host/name (WIGWAG_DATABASE_URL)',
      address('--to', names.database),
    )
    .option('--undo', 'let gateways start on the file again; with --account, take an unfinished move back')
    .option('--account <account>', 'move one account, by its ID or e-mail address, while both gateways run')
    .option('--cancel-scheduled', 'with --account: cancel its scheduled messages rather than wait for them')
    .option('--by <name>', 'who does this, for the audit log (default: your user name)', personName)
    .addHelpText('after', HELP)
    .action(act)
}

async function act(given: Omit<MoveFlags, 'from'> & { from?: string }): Promise<void> {
  const { from = commandProcess().env[MOVE_FROM] } = given
  if (from === undefined) throw new Failed(`expected the database to move from, in --from or ${MOVE_FROM}`, 2)
  const flags = { ...given, from }
  const { account, undo: isUndo } = flags
  if (account !== undefined)
    return isUndo ? takeAccountBack({ ...flags, account }) : moveOneAccount({ ...flags, account })
  return isUndo ? undo(flags) : moveAll(flags)
}

/** Reads an address of a database. Others see the command line in the list of processes. */
function address(flag: string, setting: string): (url: string) => string {
  return (url) => {
    if (!hasPassword(url)) return url
    throw new Failed(
      `${flag}: a password in an address shows in the list of processes: set ${setting} to the address and leave ${flag} out`,
      2,
    )
  }
}

const HELP = `
When the move is interrupted, run the same command again: it goes on where it
was. At the end everything is compared. Until both sides are the same no gateway
starts on the new database, and from then on none starts on the file, which is
otherwise left as it was.

An account is suspended first, until its messages have ended, and then copied.
Run the command once more when requests are led to the other cell: it deletes
what is left. An address with a password belongs into WIGWAG_MOVE_FROM or
WIGWAG_DATABASE_URL, since others see the command line.`

async function undo({ from }: MoveFlags): Promise<void> {
  const path = checkedSource(from)
  const source = await openSource(path)
  try {
    const to = await takeBack(source)
    say(
      `Gateways may start on ${path} again. What was done on ${to} is not in it: start none there any more.`,
    )
  } finally {
    await source.database.close()
  }
}

async function moveAll({ from, to, ...flags }: MoveFlags): Promise<void> {
  const { config, log, onFatal } = await runOptions({ database: to })
  const path = checkedSource(from)
  if (!isPostgres(config.database)) throw otherWay('--to', 'postgres://user@host/name', config.database)
  const source = await openSource(path)
  const target = openDatabase({
    url: config.database,
    postgresConnections: config.postgresConnections,
    onFatal,
    onIdleError: (error) => log.warn({ error: error.message }, 'an idle database connection broke'),
  })
  try {
    const comparison = await move({ source, target, to: config.database, startProgress }).catch(askToGoOn)
    report(
      flags,
      comparison,
      `${path} and ${shownUrl(config.database)} differ, so no gateway starts on the new database: make another one and move again`,
    )
    say(nextStep(config, path))
  } finally {
    await target.close()
    await source.database.close()
  }
}

/** A refusal says itself what to do. Everything else, such as a lost connection, leaves a move that can go on. */
function askToGoOn(error: unknown): never {
  if (!(error instanceof MoveRefused)) say('The move has not finished: run the same command again to go on.')
  throw error
}

/** The path of the source's file. */
function checkedSource(from: string): string {
  const path = fileOf(from)
  if (path === undefined || path === '') throw otherWay('--from', 'file:./wigwag.db', from)
  if (!existsSync(path)) throw new Failed(`there is no database at ${path}; name it with --from`)
  return path
}

function otherWay(flag: string, expected: string, given: string): Failed {
  return new Failed(
    `${flag}: expected ${expected}, got ${shownUrl(given)}; a move goes from an SQLite file to PostgreSQL ` +
      '(wigwag backup copies a file, pg_dump copies PostgreSQL)',
    2,
  )
}

function nextStep({ secret }: Config, path: string): string {
  const file = secretFileOf(path)
  const from = secret === undefined && existsSync(file) ? `to the first line of ${file}` : 'as it was'
  return `Everything was moved and is the same. Start the gateway on it with WIGWAG_SECRET set ${from}.`
}
