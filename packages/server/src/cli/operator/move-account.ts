import { counted, micros, shownUrl, toDecimal } from '@wigwag/contract'
import { cellName } from '../../accounts/index.ts'
import { openOperatorParts } from '../../gateway/operator-parts.ts'
import { amountOf } from '../../kernel/money/shown.ts'
import {
  type Begun,
  type Cell,
  isAtRest,
  type MovedAccount,
  moveAccount,
  type Open,
  takeBackAccount,
} from '../../operate/cells/index.ts'
import { type ComparedFigure, type Comparison, placeOfUrl } from '../../operate/moving/index.ts'
import { isPostgres } from '../../store/postgres/address.ts'
import { runOptions } from '../settings.ts'
import { Failed, type OutputFlags, output, say, startProgress, table } from '../terminal.ts'
import { actingOf } from './store.ts'

interface AccountFlags extends OutputFlags {
  from: string
  to?: string
  by?: string
  account: string
  cancelScheduled?: true
}

export function moveOneAccount({ account, cancelScheduled, ...flags }: AccountFlags): Promise<void> {
  return withCells(flags, async (cells) => {
    const { source, target } = cells
    const { comparison, ...moved } = await moveAccount({
      ...cells,
      account,
      startProgress,
      cancelsScheduled: cancelScheduled === true,
      onBegin: (begun) => sayBegun(begun, cells),
      onWait: sayChanges(),
    })
    const { accountId, state, clientIds } = moved
    const invited = moved.invited.map(({ secret, ...person }) => ({ ...person, link: linkOf(secret) }))
    const details = { accountId, state, cell: target.name, clientIds, invited }
    if (comparison)
      report(
        flags,
        comparison,
        `${source.name} and ${target.name} differ: go on with the same command, or take it back with --undo`,
        details,
      )
    else output(flags, details, '')
    if (state === 'left') {
      say(`Account ${accountId} is in ${target.name}, and nothing of it is left in ${source.name}.`)
      return
    }
    say(
      `Account ${accountId} works in ${target.name}. Until your proxy leads it there, it is asked to come again:`,
    )
    for (const id of clientIds) say(`${id} ${target.name}`)
    for (const line of invitedLines(moved.invited, target)) say(line)
    say(`Then run the same command once more: it deletes what ${source.name} still has of it.`)
  })
}

function sayBegun({ open, taken }: Begun, { source, target }: { source: Cell; target: Cell }): void {
  say(
    `The account is suspended in ${source.name} from now on: its requests get 503, and nothing new is accepted.`,
  )
  if (!isAtRest(open))
    say('It is copied when what is open has ended. Ctrl-C breaks off, and the same command goes on.')
  for (const { email, signsInTo } of taken)
    say(`${email} will be invited: ${accountsThere(signsInTo, target)}.`)
}

/** Says what is waited for, when that has changed. */
function sayChanges(): (open: Open) => void {
  let said = ''
  return (open) => {
    const line = openLine(open)
    if (line !== said) say(line)
    said = line
  }
}

function openLine({ underWay, scheduled, lastDueAt, endsBy, callbacks, events }: Open): string {
  const parts = [
    underWay > 0 && counted(underWay, 'message under way', 'messages under way'),
    scheduled > 0 &&
      `${counted(scheduled, 'scheduled message', 'scheduled messages')}, the last for ${timeOf(lastDueAt)}`,
    callbacks > 0 && counted(callbacks, 'callback', 'callbacks'),
    events > 0 && counted(events, 'event for your webhook', 'events for your webhook'),
  ]
  const until = endsBy > 0 ? `, until ${timeOf(endsBy)} at the latest` : ''
  return `Waiting for ${parts.filter((part) => part !== false).join(', ')}${until} …`
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`
}

/** The same at the address of every console. */
function linkOf(secret: string): string {
  return `/invited#${secret}`
}

function invitedLines(invited: MovedAccount['invited'], target: Cell): string[] {
  if (invited.length === 0) return []
  return [
    `Give these their links, behind the address of the console of ${target.name}; each is good once, for three days:`,
    ...invited.map(
      ({ email, role, signsInTo, secret }) =>
        `${email}, ${role} (${accountsThere(signsInTo, target)}): ${linkOf(secret)}`,
    ),
  ]
}

function accountsThere(names: readonly string[], { name }: Cell): string {
  return names.length === 0
    ? `the address is taken in ${name} already`
    : `the address signs in to ${name} already, to ${names.join(', ')}`
}

export function takeAccountBack({ account, ...flags }: AccountFlags): Promise<void> {
  return withCells(flags, async (cells) => {
    const accountId = await takeBackAccount({ ...cells, account })
    say(`Account ${accountId} stays in ${cells.source.name}, where it works as before.`)
  })
}

async function withCells(
  { from, to, by }: Pick<AccountFlags, 'from' | 'to' | 'by'>,
  work: (cells: { source: Cell; target: Cell }) => Promise<void>,
): Promise<void> {
  const source = await openCell('--from', from, by)
  try {
    const target = await openCell('--to', to, by)
    try {
      // A secret that is not that of both could not be read by one of them.
      for (const { boxes } of [source, target]) boxes()
      await work({ source, target })
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function openCell(flag: string, url: string | undefined, by: string | undefined) {
  const { config, ...options } = await runOptions({ database: url })
  if (!isPostgres(config.database))
    throw new Failed(
      `${flag}: expected the database of a cell such as postgres://user@host/name, got ${shownUrl(config.database)}`,
      2,
    )
  // Each says itself which cell it is.
  const parts = await openOperatorParts(
    { ...config, cell: undefined },
    { ...options, acting: actingOf({ by }) },
  )
  const name = (await parts.database.read(cellName)) || placeOfUrl(config.database)
  return { ...parts, name }
}

/** Shows both sides of a move. Throws with the last sentence when they differ. */
export function report(
  flags: OutputFlags,
  comparison: Comparison,
  otherwise: string,
  details: object = {},
): void {
  const { tables, books, same } = comparison
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
  output(flags, { ...details, same, tables, books: figures }, `${rows}\n\n${sums}`)
  if (!same) throw new Failed(otherwise)
}

function shown({ currency }: ComparedFigure, value: number): string | number {
  return currency === undefined ? value : amountOf(value)
}
