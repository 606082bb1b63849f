import { formatAmount, type Micros, microsOfSum, toDecimal } from '@wigwag/contract'
import { readCarrierList, type SettledAs } from '../../../delivery/index.ts'
import type { OperatorParts } from '../../../operator-parts.ts'
import { canAsk, saysYes } from '../../ask.ts'
import { requireCarrier } from '../../carriers/known-carrier.ts'
import { readCsvFile, refuseMistakes } from '../../messages/csv-file.ts'
import { startProgress } from '../../progress-bar.ts'
import { counted, Failed, lines, type OutputFlags, output, say } from '../../terminal.ts'
import { type StoreFlags, withParts } from '../store.ts'
import { type WhichFlags, whichOf } from './uncertain.ts'

export interface SettleFlags extends StoreFlags, OutputFlags, WhichFlags {
  file?: string
  receipt?: string
  yes?: true
}

/** What is about to be settled in one way. */
interface Part {
  status: SettledAs
  messages: number
  /** The held prices, by currency. */
  money: ReadonlyMap<string, number>
}

/** Settles the uncertain messages that match, in the same way. */
export async function settleMatching(status: SettledAs, flags: SettleFlags): Promise<void> {
  await withParts(flags, async (operator, config) => {
    const { carriers, clock } = operator
    await requireCarrier(operator, config, flags.carrier)
    const now = clock.now()
    // Not those that become uncertain while the person is asked.
    const which = { ...whichOf(flags, now) }
    which.before ??= now
    const sums = await carriers.uncertainSums(which)
    const messages = sums.reduce((total, sum) => total + sum.messages, 0)
    const part = { status, messages, money: moneyOf(sums.map((sum) => [sum.currency, sum.held])) }
    const names = sums.map(({ carrier }) => carrier)
    await settleParts(flags, [part], { carriers: names }, (onDone) =>
      carriers.settleAll(which, status, onDone),
    )
  })
}

/** Settles the uncertain messages that a carrier's list names, as it says. */
export async function settleFile(file: string, flags: SettleFlags): Promise<void> {
  const { messages, mistakes } = await readCsvFile(file, readCarrierList)
  refuseMistakes(file, mistakes)
  await withParts(flags, async (parts, config) => {
    const { carriers } = parts
    await requireCarrier(parts, config, flags.carrier)
    const { decisions, mistakes, others, unknown } = await carriers.listed(messages, flags.carrier)
    refuseMistakes(file, mistakes)
    const shares = (['success', 'failed'] as const).flatMap((status) => {
      const of = decisions.filter((one) => one.status === status)
      const money = moneyOf(of.map(({ message }) => [message.currency, message.price]))
      return of.length === 0 ? [] : [{ status, messages: of.length, money }]
    })
    if (others > 0)
      say(
        `${counted(others, 'row is', 'rows are')} of messages that are not uncertain, and ${others === 1 ? 'is' : 'are'} left.`,
      )
    if (unknown.length > 0)
      say(`${counted(unknown.length, 'row names', 'rows name')} no message: ${listed(unknown)}`)
    const names = decisions.map(({ message }) => message.carrier)
    await settleParts(flags, shares, { carriers: names, others, unknown }, (onDone) =>
      carriers.settleEach(
        decisions.map(({ message: { ticket }, status, carrierRef }) => ({ ticket, status, carrierRef })),
        onDone,
      ),
    )
  })
}

interface About {
  carriers: readonly string[]
  /** Rows of a file about which nothing is to be decided. */
  others?: number
  unknown?: readonly string[]
}

/** Says what is about to happen, asks, and does it. */
async function settleParts(
  flags: SettleFlags,
  parts: readonly Part[],
  { carriers, ...more }: About,
  work: (onDone: () => void) => ReturnType<OperatorParts['carriers']['settleEach']>,
): Promise<void> {
  const total = parts.reduce((sum, { messages }) => sum + messages, 0)
  if (total === 0) {
    output(flags, { settled: 0, left: 0, parts: [], ...more }, '')
    return say('No uncertain message matches, so nothing was changed.')
  }
  const names = [...new Set(carriers)].join(', ')
  const plan = `${parts.map(inWords).join('; ')} (${names})`
  await agree(flags, plan)
  const progress = startProgress(total, 'messages')
  let done = 0
  const { settled, left } = await work(() => progress.update(++done)).finally(progress.stop)
  const shown = parts.map(({ status, messages, money }) => ({
    ...{ status, messages },
    held: Object.fromEntries([...money].map(([currency, held]) => [currency, toDecimal(microsOfSum(held))])),
  }))
  output(
    flags,
    { settled, left, parts: shown, ...more },
    lines([
      ['settled', settled],
      ['left', left],
    ]),
  )
  if (left > 0) say(`${counted(left, 'message was', 'messages were')} not uncertain any more.`)
}

async function agree({ yes }: SettleFlags, plan: string): Promise<void> {
  say(`This settles ${plan}.`)
  if (yes) return
  if (!canAsk()) throw new Failed('add --yes to settle them; nothing was changed', 2)
  if (!(await saysYes('It can’t be undone. Settle them?'))) throw new Failed('nothing was changed')
}

function inWords({ status, messages, money }: Part): string {
  const amounts = [...money]
    .map(([currency, held]) => `${formatAmount(microsOfSum(held))} ${currency}`)
    .join(' + ')
  const charges = status === 'success' ? 'charges' : 'gives back'
  return `${counted(messages, 'message')} as ${status}, which ${charges} ${amounts}`
}

function moneyOf(amounts: readonly (readonly [currency: string, held: Micros])[]): Map<string, number> {
  const money = new Map<string, number>()
  for (const [currency, held] of amounts) money.set(currency, (money.get(currency) ?? 0) + held)
  return money
}

const MOST_LISTED = 10

function listed(names: readonly string[]): string {
  const more = names.length - MOST_LISTED
  const first = names.slice(0, MOST_LISTED).join(', ')
  return more > 0 ? `${first} and ${more} more, which --json lists` : first
}
