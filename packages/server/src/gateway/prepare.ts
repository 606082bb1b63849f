import { type FieldError, Problem } from '../domain/errors.ts'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import { type Micros, micros, ZERO } from '../domain/money.ts'
import { parseRecipient } from '../domain/phone.ts'
import { priceFor, type RateTable } from '../domain/rates.ts'
import { checkContent } from '../domain/segments.ts'
import type { MessageRow } from '../store/messages.ts'
import type { WalletPrincipal } from './principal.ts'

/** A send, as the caller asked for it: one text for one or many recipients. */
export interface SendCommand {
  principal: WalletPrincipal
  operation: string
  sender: string
  content: string
  callbackUrl: string | undefined
  recipients: readonly { to: string; reference: string }[]
  /** Where the number of a recipient stands in the request, for errors. */
  pointerTo(index: number): string
  idempotency: { key: string; fingerprint: string } | undefined
  /** The reply's JSON. It is fixed before the commit, and stored when the command has an idempotency key. */
  render(messages: readonly MessageRow[]): string
}

/** A send that only needs its money held: everything that could be wrong with it by itself has been checked. */
export interface PreparedSend {
  command: SendCommand
  messages: MessageRow[]
  total: Micros
}

export interface PrepareOptions {
  rates: RateTable
  now: EpochMs
  newId(now: EpochMs): Ticket
}

/** Long lists of recipients let others have a turn now and then. */
const TURN = 500

/** Checks and prices a send, without touching the store. */
export async function prepareSend(command: SendCommand, options: PrepareOptions): Promise<PreparedSend> {
  checkApproved(command)
  const { encoding, segments } = checkContent(command.content)
  const errors: FieldError[] = []
  const messages: MessageRow[] = []
  const { principal, sender, content, callbackUrl, recipients } = command
  const { now } = options
  let total = 0
  for (const [index, { to, reference }] of recipients.entries()) {
    if (index % TURN === TURN - 1) await new Promise(setImmediate)
    const priced = priceRecipient(to, principal.wallet.currency, options.rates)
    if (priced instanceof Problem) {
      errors.push({ pointer: command.pointerTo(index), code: priced.code, detail: priced.message })
      continue
    }
    const price = micros(priced.unitPrice * segments)
    total += price
    messages.push({
      id: options.newId(now),
      accountId: principal.accountId,
      walletId: principal.wallet.id,
      sender,
      recipient: to,
      content,
      reference,
      callbackUrl: callbackUrl ?? null,
      status: 'pending',
      encoding,
      segments,
      country: priced.country,
      network: priced.network ?? null,
      price,
      cost: ZERO,
      balanceBefore: ZERO,
      balanceAfter: ZERO,
      createdAt: now,
      sendAt: 0,
      submittedAt: 0,
      effectedAt: now,
      carrierRef: null,
      failureReason: null,
    })
  }
  if (errors.length > 0) throw invalidFields(errors)
  return { command, messages, total: micros(total) }
}

function priceRecipient(to: string, currency: string, rates: RateTable) {
  try {
    const quote = priceFor(rates, parseRecipient(to).recipient, currency)
    return quote ?? new Problem('no_rate', `There is no rate in ${currency} for ${to}.`)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function checkApproved({ sender, principal }: SendCommand): void {
  const status = principal.senders.get(sender)
  if (status === 'approved') return
  const approved = [...principal.senders].flatMap(([name, status]) => (status === 'approved' ? [name] : []))
  const choice = approved.length > 0 ? `Approved sender IDs: ${approved.join(', ')}.` : 'The account has no approved sender ID.'
  throw new Problem(
    'sender_not_approved',
    `Sender '${sender}' is ${status ?? 'not one of this account'}. ${choice}`,
  )
}

/** A list of ten thousand mistakes helps nobody, and would be larger than the request. */
const MOST_ERRORS = 100

/** One problem for all that is wrong: its code and its text are those of the first field. */
export function invalidFields(errors: readonly FieldError[]): Problem {
  const [first] = errors
  if (!first) throw new RangeError('expected at least one invalid field')
  const more = errors.length - 1
  const detail = more === 0 ? first.detail : `${first.detail} And ${more} more.`
  return new Problem(first.code, detail, { errors: errors.slice(0, MOST_ERRORS) })
}
