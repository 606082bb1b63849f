import { randomUUID } from 'node:crypto'
import { asSentence, type Micros, microsOfSum } from '@wigwag/contract'
import {
  LIST_COLUMNS,
  readCarrierList,
  type SettledAs,
  type SettledMany,
  type WhichUncertain,
} from '../../../delivery/index.ts'
import { type EpochMs, epochMs, isTicket, type Ticket } from '../../../kernel/ids.ts'
import { type Mistake, NotCsv } from '../../../kernel/process/csv-reader.ts'
import { readSince } from '../../../kernel/time/spans.ts'
import type { OperatorWork } from '../../../operate/operator-work.ts'
import { several } from '../../count.ts'
import { money } from '../../widgets/money.tsx'
import { overOrLate } from '../frame/pages.ts'
import type { DeskParts } from '../parts.ts'

/** Decisions to confirm, and the hidden fields that ask for them again. */
export interface Plan {
  parts: DecidedPart[]
  carriers: readonly string[]
  /** Rows of a list about which nothing is to be decided: not uncertain any more, or of no message. */
  others: number
  unknown: readonly string[]
  carried: [name: string, value: string][]
  total: number
  settle: Parameters<Decisions['begin']>[1]
}

export type Planned = { plan: Plan } | { wrong: string; mistakes: readonly Mistake[] }

type Carriers = OperatorWork['carriers']

/**
 * Reads what a form asks to decide: some messages, one by a receipt, all of a carrier until a time, or what a carrier's list
 * says.
 */
export async function planOf(form: URLSearchParams, carriers: Carriers, now: EpochMs): Promise<Planned> {
  if (form.get('by') === 'list') return planOfList(form, carriers)
  const receipt = form.get('receipt')
  if (receipt !== null) return planOfReceipt(receipt, form.get('from') ?? '', carriers)
  const status = form.get('as')
  if (status !== 'success' && status !== 'failed') return wrong('Expected delivered or failed, got neither.')
  return form.get('by') === 'carrier'
    ? planOfCarrier(form, status, carriers, now)
    : planOfSome(form, status, carriers)
}

function wrong(text: string, mistakes: readonly Mistake[] = []): Planned {
  return { wrong: text, mistakes }
}

async function planOfSome(form: URLSearchParams, status: SettledAs, carriers: Carriers): Promise<Planned> {
  const tickets = form.getAll('ticket').filter(isTicket)
  if (tickets.length === 0) return wrong('Expected a mark at one message or more, got none.')
  const { uncertain } = await carriers.uncertainNamed(tickets, undefined)
  const messages = [...uncertain.values()]
  const held = heldOf(messages.map(({ currency, price }) => ({ currency, held: price })))
  return {
    plan: {
      parts: [{ status, messages: messages.length, held }],
      carriers: [...new Set(messages.map(({ carrier }) => carrier))],
      others: tickets.length - messages.length,
      unknown: [],
      total: messages.length,
      carried: [
        ['as', status],
        ['from', form.get('from') ?? ''],
        ...tickets.map((ticket): [string, string] => ['ticket', ticket]),
      ],
      settle: (onDone) =>
        carriers.settleEach(
          messages.map(({ ticket }) => ({ ticket, status })),
          onDone,
        ),
    },
  }
}

/** The receipt is given as a ticket and, after a blank, a reference. */
async function planOfReceipt(receipt: string, from: string, carriers: Carriers): Promise<Planned> {
  const [ticket = '', ref = ''] = receipt.split(' ')
  const { uncertain } = await carriers.uncertainNamed(isTicket(ticket) ? [ticket] : [], undefined)
  const messages = [...uncertain.values()]
  const receipts = (await carriers.receiptsFor(messages)).get(messages[0]?.ticket ?? ('' as Ticket)) ?? []
  const found = receipts.find((one) => one.ref === ref)
  const [message] = messages
  if (!message || !found) return wrong('This receipt is gone, or its message is not uncertain any more.')
  const status = found.verdict === 'success' ? 'success' : 'failed'
  return {
    plan: {
      parts: [{ status, messages: 1, held: heldOf([{ currency: message.currency, held: message.price }]) }],
      carriers: [message.carrier],
      others: 0,
      unknown: [],
      total: 1,
      carried: Object.entries({ receipt, from, ticket: message.ticket }),
      async settle(onDone) {
        const { settled } = await carriers.settleBy(message.ticket, ref)
        onDone()
        return { settled: settled ? 1 : 0, left: settled ? 0 : 1 }
      },
    },
  }
}

async function planOfCarrier(
  form: URLSearchParams,
  status: SettledAs,
  carriers: Carriers,
  now: EpochMs,
): Promise<Planned> {
  const carrier = form.get('carrier') ?? ''
  const until = (form.get('until') ?? '').trim()
  const typed = until === '' ? undefined : readSince(until)
  if (until !== '' && !typed) return wrong(`Expected 6h, 2d, a day or a time in UTC, got “${until}”.`)
  // Not those that become uncertain while the person is asked.
  const before = timeIn(form, 'before') ?? typed?.(now) ?? now
  const which: WhichUncertain = { carrier, before }
  const sums = await carriers.uncertainSums(which)
  const messages = sums.reduce((total, sum) => total + sum.messages, 0)
  return {
    plan: {
      parts: [{ status, messages, held: heldOf(sums) }],
      carriers: [carrier],
      others: 0,
      unknown: [],
      total: messages,
      carried: [...Object.entries({ by: 'carrier', as: status, carrier, before: String(before) })],
      settle: (onDone) => carriers.settleAll(which, status, onDone),
    },
  }
}

function timeIn(form: URLSearchParams, name: string): EpochMs | undefined {
  const text = form.get(name) ?? ''
  return /^\d{1,15}$/.test(text) ? epochMs(Number(text)) : undefined
}

async function planOfList(form: URLSearchParams, carriers: Carriers): Promise<Planned> {
  const list = [form.get('file') ?? '', form.get('list') ?? ''].find((text) => text.trim() !== '')
  const carrier = form.get('carrier') || undefined
  if (list === undefined) return wrong(`Expected a file with the columns ${LIST_COLUMNS}; got none.`)
  try {
    const { messages, mistakes } = readCarrierList(list)
    if (mistakes.length > 0) return wrong(NONE_TAKEN, mistakes)
    const listed = await carriers.listed(messages, carrier)
    const { decisions, others, unknown } = listed
    if (listed.mistakes.length > 0) return wrong(NONE_TAKEN, listed.mistakes)
    const parts = (['success', 'failed'] as const).flatMap((status) => {
      const of = decisions.filter((one) => one.status === status)
      const held = heldOf(of.map(({ message: { currency, price } }) => ({ currency, held: price })))
      return of.length === 0 ? [] : [{ status, messages: of.length, held }]
    })
    return {
      plan: {
        parts,
        carriers: [...new Set(decisions.map(({ message }) => message.carrier))],
        others,
        unknown,
        total: decisions.length,
        carried: Object.entries({ by: 'list', list, ...(carrier !== undefined && { carrier }) }),
        settle: (onDone) =>
          carriers.settleEach(
            decisions.map(({ message: { ticket }, status, carrierRef }) => ({ ticket, status, carrierRef })),
            onDone,
          ),
      },
    }
  } catch (error) {
    if (!(error instanceof NotCsv)) throw error
    const { line, message } = error
    if (line !== undefined) return wrong(NONE_TAKEN, [{ line, why: message }])
    return wrong(asSentence(message.charAt(0).toUpperCase() + message.slice(1)))
  }
}

const NONE_TAKEN = 'Nothing was taken of this list. Mend these lines and choose it again.'

export interface Run {
  total: number
  done: number
  /** Undefined until it is over. */
  result: SettledMany | undefined
  hasFailed: boolean
}

/** The oldest are forgotten: what they did is in the audit log. */
const MOST_KEPT = 50

/** Decisions about many messages, in this process: thousands take longer than a browser waits. */
export class Decisions {
  readonly #clock: DeskParts['clock']
  readonly #onFault: DeskParts['onFault']
  readonly #all = new Map<string, Run>()

  constructor({ clock, onFault }: Pick<DeskParts, 'clock' | 'onFault'>) {
    this.#clock = clock
    this.#onFault = onFault
  }

  /** Begins, and resolves with a name for it when it is over, or after a while. */
  async begin(total: number, work: (onDone: () => void) => Promise<SettledMany>): Promise<string> {
    const run: Run = { total, done: 0, result: undefined, hasFailed: false }
    const name = randomUUID()
    this.#all.set(name, run)
    for (const old of [...this.#all.keys()].slice(0, -MOST_KEPT)) this.#all.delete(old)
    const over = work(() => run.done++).then(
      (result) => {
        run.result = result
      },
      (error: unknown) => {
        run.hasFailed = true
        this.#onFault(error)
      },
    )
    await overOrLate(over, this.#clock)
    return name
  }

  /** Undefined when this process knows nothing of it. */
  of(run: string): Run | undefined {
    return this.#all.get(run)
  }
}

/** Messages about to be settled with the same status. */
export interface DecidedPart {
  status: SettledAs
  messages: number
  /** Their holds, by currency. */
  held: ReadonlyMap<string, Micros>
}

export function heldOf(amounts: readonly { currency: string; held: Micros }[]): Map<string, Micros> {
  const sums = new Map<string, Micros>()
  for (const { currency, held } of amounts) sums.set(currency, microsOfSum((sums.get(currency) ?? 0) + held))
  return sums
}

/** `12 messages as delivered, which charges GHS 0.50` */
export function partInWords({ status, messages, held }: DecidedPart): string {
  const amounts = [...held].map(([currency, amount]) => money(amount, currency)).join(' and ')
  return `${several(messages, 'message')} as ${AS[status]}, which ${status === 'success' ? 'charges' : 'releases'} ${amounts}`
}

const AS = { success: 'delivered', failed: 'failed' } as const satisfies Record<SettledAs, string>
