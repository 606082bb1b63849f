import { toDecimal } from '@wigwag/contract'
import type { Command } from 'commander'
import type { OperatorParts } from '../../gateway/operator-parts.ts'
import type { Rate } from '../../kernel/money/rates.ts'
import {
  changesInWords,
  compareRates,
  countChanges,
  type RateChange,
  type RatesReplaced,
  readRates,
  withoutGaps,
} from '../../money/index.ts'
import { canAsk, counted, Failed, type OutputFlags, output, print, say, saysYes, table } from '../terminal.ts'
import { type StoreFlags, withAudit, withParts } from './store.ts'

/** Of a command that puts other prices in force. */
export interface ChangeFlags extends StoreFlags, OutputFlags {
  yes?: true
  dryRun?: true
}

export function withChange(command: Command): Command {
  return withAudit(command)
    .option('--dry-run', 'only show what would change')
    .option('--yes', 'replace the prices without asking')
}

/** Prices that are to be put in force. */
interface NextRates {
  rates: readonly Rate[]
  sample: boolean
  /** Whether it asks also where no price goes or rises. */
  asksAlways: boolean
  /** Puts them in place of those of a version; undefined when another one is in force. */
  put(replaced: string): Promise<RatesReplaced | undefined>
}

/** Shows what would change, asks where a price goes or rises, and puts the prices in force that were compared. */
export async function changeRates(
  flags: ChangeFlags,
  nextOf: (parts: OperatorParts) => Promise<NextRates>,
): Promise<void> {
  await withParts(flags, async (parts) => {
    const next = await nextOf(parts)
    const { rates, sample, version } = await parts.database.read(readRates)
    const changes = compareRates(rates, next.rates)
    const { changed: _, ...counts } = countChanges(changes)
    const result = { rates: next.rates.length, ...counts }
    if (changes.length === 0 && sample === next.sample) {
      output(flags, result, '')
      return say('These prices are in force already. Nothing was changed.')
    }
    if (!flags.json) showSome(changes)
    if (changes.length > 0) say(`This ${changesInWords(counts)}.`)
    if (counts.removed > 0) say('Where a country has no price, nothing can be sent.')
    if (flags.dryRun) {
      output(flags, result, '')
      return say('Nothing was changed.')
    }
    if (next.asksAlways || counts.removed > 0 || counts.dearer > 0) await agree(flags, counts)
    const done = await next.put(version)
    if (!done)
      throw new Failed(
        'other prices came into force meanwhile; nothing was changed: run it again to see what it would change now',
      )
    const { kept } = done
    output(flags, { ...result, kept: kept ?? null }, '')
    say(`The price list was replaced: it now has ${counted(next.rates.length, 'price')}.`)
    if (kept !== undefined)
      say(`The list before is kept as number ${kept}: wigwag rates restore ${kept} takes it back.`)
  })
}

async function agree({ yes }: ChangeFlags, counts: Readonly<Record<string, number>>): Promise<void> {
  if (yes) return
  if (!canAsk()) throw new Failed('add --yes to replace the prices; nothing was changed', 2, counts)
  if (!(await saysYes('Replace the prices?'))) throw new Failed('nothing was changed')
}

/** More would push the sum off the screen. */
const MOST_SHOWN = 50

function showSome(changes: readonly RateChange[]): void {
  if (changes.length === 0) return
  const worstFirst = [...changes].sort((a, b) => weightOf(a) - weightOf(b))
  print(changesTable(worstFirst.slice(0, MOST_SHOWN), 'THEN'))
  const more = changes.length - MOST_SHOWN
  if (more > 0) say(`${counted(more, 'change')} more; wigwag rates diff shows those of a file.`)
}

/** Prices that go are shown first, then those that rise and fall; new ones are last. */
function weightOf({ before, after }: RateChange): number {
  if (after === undefined) return 0
  if (before === undefined) return 3
  return after > before ? 1 : 2
}

/** Changed prices, side by side. */
export function changesTable(changes: readonly RateChange[], then: string): string {
  const cells = changes
    .map(changeLine)
    .map(({ country, mcc, mnc, network, before, after, currency }) => [
      country,
      mcc,
      mnc,
      network,
      before ?? 'none',
      after ?? 'none',
      currency,
    ])
  return table(['COUNTRY', 'MCC', 'MNC', 'NETWORK', 'NOW', then, 'CURRENCY'], cells)
}

/** A change, for programs. */
export function changeLine({ before, after, ...place }: RateChange) {
  return {
    ...withoutGaps(place),
    before: before === undefined ? null : toDecimal(before),
    after: after === undefined ? null : toDecimal(after),
  }
}
