import { type FieldError, Problem } from '../domain/errors.ts'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import { type Micros, micros, ZERO } from '../domain/money.ts'
import type { RateTable } from '../domain/rates.ts'
import { checkContent } from '../domain/segments.ts'
import type { NewMessage } from '../store/messages.ts'
import { priceOf } from './price.ts'
import type { WalletPrincipal } from './principal.ts'
import { checkApproved } from './senders.ts'

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
  /** When to send; at once when left out. */
  sendAt?: EpochMs
  /** The reply's JSON. It is fixed before the commit, and stored when the command has an idempotency key. */
  render(messages: readonly NewMessage[]): string
}

/** A send that only needs its money held: everything that could be wrong with it by itself has been checked. */
export interface PreparedSend {
  command: SendCommand
  messages: NewMessage[]
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
  checkApproved(command.sender, command.principal)
  if (command.sendAt !== undefined) checkSendAt(command.sendAt, options.now)
  const segmentation = checkContent(command.content)
  const { encoding, segments } = segmentation
  const errors: FieldError[] = []
  const messages: NewMessage[] = []
  const { principal, sender, content, callbackUrl, recipients, sendAt } = command
  const { now } = options
  let total = 0
  for (const [index, { to, reference }] of recipients.entries()) {
    if (index % TURN === TURN - 1) await new Promise(setImmediate)
    const priced = priceOf(to, segmentation, principal.wallet.currency, options.rates)
    if (priced instanceof Problem) {
      errors.push({ pointer: command.pointerTo(index), code: priced.code, detail: priced.message })
      continue
    }
    total += priced.price
    messages.push({
      id: options.newId(now),
      accountId: principal.accountId,
      walletId: principal.wallet.id,
      sender,
      recipient: to,
      content,
      reference,
      callbackUrl: callbackUrl ?? null,
      status: sendAt === undefined ? 'pending' : 'scheduled',
      encoding,
      segments,
      country: priced.country,
      network: priced.network ?? null,
      price: priced.price,
      balanceBefore: ZERO,
      balanceAfter: ZERO,
      createdAt: now,
      sendAt: sendAt ?? 0,
      effectedAt: now,
    })
  }
  if (errors.length > 0) throw invalidFields(errors)
  return { command, messages, total: micros(total) }
}

const FURTHEST_MS = 90 * 24 * 3_600_000

function checkSendAt(sendAt: EpochMs, now: EpochMs): void {
  if (sendAt > now && sendAt <= now + FURTHEST_MS) return
  const detail = `Expected a time in the future and at most 90 days ahead, got ${new Date(sendAt).toISOString()}.`
  throw invalidFields([{ pointer: '/SendAt', code: 'invalid_send_at', detail }])
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
