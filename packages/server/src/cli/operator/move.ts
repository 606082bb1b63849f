import { existsSync } from 'node:fs'
import { formatAmount, micros, shownUrl, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import type { Config } from '../../config.ts'
import {
  type ComparedFigure,
  type Comparison,
  MoveRefused,
  move,
  openSource,
  takeBack,
} from '../../moving/index.ts'
import { fileOf, openDatabase } from '../../platform/database/open.ts'
import { isPostgres } from '../../platform/database/postgres/address.ts'
import { secretFileOf } from '../../platform/secrets/sandbox-secret.ts'
import { startProgress } from '../progress-bar.ts'
import { runOptions } from '../settings.ts'
import { Failed, type OutputFlags, output, say, table, withJson } from '../terminal.ts'

interface MoveFlags extends OutputFlags {
  from: string
  to?: string
  undo?: boolean
}

export function moveCommand(): Command {
  return withJson(new Command('move'))
    .description('Move everything of a stopped gateway from an SQLite file to an empty PostgreSQL database.')
    .requiredOption('--from <url>', 'the SQLite database: file:./wigwag.db')
    .option('--to <url>', 'the PostgreSQL database: postgres://user@host/name (WIGWAG_DATABASE_URL)')
    .option('--undo', 'after a move: let gateways start on the file again')
    .addHelpText('after', HELP)
    .action((flags: MoveFlags) => (flags.undo ? undo(flags) : moveAll(flags)))
}

const HELP = `
When the move is interrupted, run the same command again: it goes on where it
was. At the end everything is compared. Until both sides are the same no gateway
starts on the new database, and from then on none starts on the file, which is
otherwise left as it was.`

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
    report(flags, comparison, `${path} and ${shownUrl(config.database)}`)
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

function report(flags: OutputFlags, { tables, books, same }: Comparison, sides: string): void {
  const figures = books.map(({ what, currency, from, to }) =>
    currency === undefined
      ? { what, from, to }
      : { what, currency, from: toDecimal(micros(from)), to: toDecimal(micros(to)) },
  )
  const rows = table(
    ['TABLE', 'ROWS FROM', 'ROWS TO', 'CONTENT'],
    tables.map(({ table: name, from, to, same: alike }) => [name, from, to, alike ? 'same' : 'DIFFERS']),
  )
  const sums = table(
    ['BOOKS', 'FROM', 'TO', ''],
    books.map((figure) => {
      const { what, currency = '', from, to } = figure
      return [
        `${what} ${currency}`.trim(),
        shown(figure, from),
        shown(figure, to),
        from === to ? 'same' : 'DIFFERS',
      ]
    }),
  )
  output(flags, { same, tables, books: figures }, `${rows}\n\n${sums}`)
  if (!same) {
    throw new Failed(
      `${sides} differ, so no gateway starts on the new database: make another one and move again`,
    )
  }
}

function shown({ currency }: ComparedFigure, value: number): string | number {
  return currency === undefined ? value : formatAmount(micros(value))
}

function nextStep({ secret }: Config, path: string): string {
  const file = secretFileOf(path)
  const from = secret === undefined && existsSync(file) ? `to the first line of ${file}` : 'as it was'
  return `Everything was moved and is the same. Start the gateway on it with WIGWAG_SECRET set ${from}.`
}
