import { asSentence } from '@wigwag/contract'
import { LIST_COLUMNS, readCarrierList, type SettledAs, type WhichUncertain } from '../../delivery/index.ts'
import { type EpochMs, epochMs, isTicket, type Ticket } from '../../domain/ids.ts'
import { readSince } from '../../domain/since.ts'
import type { OperatorWork } from '../../operator-work.ts'
import { type Mistake, NotCsv } from '../../platform/csv.ts'
import type { Decisions } from './decisions.ts'
import { type DecidedPart, heldOf } from './words.ts'

/** What is about to be decided, and the fields that say it once more. */
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
      ...{ others: tickets.length - messages.length, unknown: [], total: messages.length },
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
      ...{ others: 0, unknown: [], total: messages },
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
