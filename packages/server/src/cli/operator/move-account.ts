import { shownUrl } from '@wigwag/contract'
import { cellOf } from '../../accounts/index.ts'
import { bringReceipts, type Cell, moveAccount, takeBackAccount } from '../../cells/index.ts'
import { placeOfUrl } from '../../moving/index.ts'
import { openOperatorParts } from '../../operator-parts.ts'
import { isPostgres } from '../../platform/database/postgres/address.ts'
import { startProgress } from '../progress-bar.ts'
import { runOptions } from '../settings.ts'
import { Failed, type OutputFlags, output, say } from '../terminal.ts'
import { report } from './comparison.ts'
import { actingOf } from './store.ts'

interface CellFlags extends OutputFlags {
  from: string
  to?: string
  by?: string
}

interface AccountFlags extends CellFlags {
  account: string
  wait?: number
}

/** How long a move waits for what is being sent, unless it is told. */
export const WAIT_S = 300

export function moveOneAccount({ account, wait = WAIT_S, ...flags }: AccountFlags): Promise<void> {
  return withCells(flags, async (cells) => {
    const moved = await moveAccount({
      ...{ ...cells, account, waitMs: wait * 1_000, startProgress },
      onWait: sayChanges(),
    })
    const { accountId, state, clientIds, comparison, receiptsToCome } = moved
    const { source, target } = cells
    const details = { accountId, state, cell: target.name, clientIds, receiptsToCome }
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
    say(`Then run the same command once more: it deletes what ${source.name} still has of it.`)
    if (receiptsToCome > 0)
      say(
        `${receiptsToCome} of its messages wait for receipts, which will come to ${source.name}: run wigwag move --receipts with the same --from and --to every ten minutes for two days.`,
      )
  })
}

/** Says how much is waited for, when that has changed. */
function sayChanges(): (left: number) => void {
  let said = 0
  return (left) => {
    if (left !== said) say(`Waiting for ${left} that are being worked on …`)
    said = left
  }
}

export function takeAccountBack({ account, ...flags }: AccountFlags): Promise<void> {
  return withCells(flags, async (cells) => {
    const accountId = await takeBackAccount({ ...cells, account })
    say(`Account ${accountId} stays in ${cells.source.name}, where it works as before.`)
  })
}

export function moveReceipts(flags: CellFlags): Promise<void> {
  return withCells(flags, async (cells) => {
    const receipts = await bringReceipts(cells)
    say(`${receipts} receipts were taken from ${cells.source.name} to ${cells.target.name}.`)
  })
}

async function withCells(
  { from, to, by }: CellFlags,
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
  const name = (await parts.database.read(cellOf)) || placeOfUrl(config.database)
  return { ...parts, name }
}
