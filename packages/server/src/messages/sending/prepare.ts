import { type Micros, recipientDigits, ZERO } from '@wigwag/contract'
import { type FieldError, invalidFields, Problem } from '../../kernel/errors.ts'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import type { RateTable } from '../../kernel/money/rates.ts'
import type { Principal, WalletPrincipal } from '../../kernel/principal.ts'
import { inSlices } from '../../kernel/process/event-loop.ts'
import { checkContent, type Segmentation } from '../../kernel/text/segments.ts'
import { DAY_MS } from '../../kernel/time/spans.ts'
import { priceOf, totalPrice } from '../../money/index.ts'
import type { WriteOperation } from '../../store/audit/index.ts'
import { type NewMessage, sentByOf } from '../index.ts'

/** A send, as the caller asked for it, for one or many recipients. */
export interface SendCommand {
  principal: WalletPrincipal
  operation: WriteOperation
  sender: string
  /** The text of all recipients that have none of their own. */
  content: string
  callbackUrl: string | undefined
  recipients: readonly { to: string; reference: string; content?: string }[]
  /** The JSON pointer to a recipient's number in the request, for errors. */
  pointerTo(index: number): string
  idempotency: { key: string; fingerprint: string } | undefined
  /** Replaces the operation in the scope of the key. All sends of a form share one, at once or at a time. */
  keysOf?: string
  /** When to send; at once if undefined. */
  sendAt?: SendTime
  /** The reply's JSON. It is made before the commit, and stored when the command has an idempotency key. */
  render(messages: readonly NewMessage[]): string | Promise<string>
}

/** When to send, and where the request says so, for errors. */
export interface SendTime {
  at: EpochMs
  pointer: string
}

/** A checked and priced send: only its limits and its money are still to be decided. */
export interface PreparedSend {
  command: SendCommand
  messages: NewMessage[]
  total: Micros
}

/** Checks and prices a send, without touching the store. */
export async function prepareSend(
  command: SendCommand,
  { rates, now, newId }: { rates: RateTable; now: EpochMs; newId(now: EpochMs): Ticket },
): Promise<PreparedSend> {
  checkApproved(command.sender, command.principal)
  if (command.sendAt) checkSendAt(command.sendAt, now)
  const texts = new CheckedTexts()
  const errors: FieldError[] = []
  const messages: NewMessage[] = []
  const { principal, sender, callbackUrl, recipients, sendAt } = command
  const sentBy = sentByOf(principal)
  let total = 0
  await inSlices(recipients, ({ to, reference, content = command.content }, index) => {
    const segmentation = texts.of(content)
    const { encoding, segments } = segmentation
    const priced = priceOf(to, segmentation, principal.wallet.currency, rates)
    if (priced instanceof Problem) {
      errors.push({ pointer: command.pointerTo(index), code: priced.code, detail: priced.message })
      return
    }
    total += priced.price
    messages.push({
      id: newId(now),
      accountId: principal.accountId,
      walletId: principal.wallet.id,
      sender,
      recipient: recipientDigits(to),
      to: priced.to,
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
      sendAt: sendAt?.at ?? 0,
      effectedAt: now,
      sentBy,
    })
  })
  if (errors.length > 0) throw invalidFields(errors)
  return { command, messages, total: totalPrice(total, principal.wallet.currency) }
}

/** Checks each text, but not one that comes again right after itself: a bulk has one for all. */
export class CheckedTexts {
  #last: { content: string; segmentation: Segmentation } | undefined

  of(content: string): Segmentation {
    if (this.#last?.content !== content) this.#last = { content, segmentation: checkContent(content) }
    return this.#last.segmentation
  }
}

const FURTHEST_MS = 90 * DAY_MS

/** Throws unless the time is in the future and not too far. */
export function checkSendAt({ at, pointer }: SendTime, now: EpochMs): void {
  if (at > now && at <= now + FURTHEST_MS) return
  const detail = `Expected a time in the future and at most 90 days ahead, got ${new Date(at).toISOString()}.`
  throw invalidFields([{ pointer, code: 'invalid_send_at', detail }])
}

/** Throws unless the sender ID is an approved one of the account. The problem lists the approved ones. */
export function checkApproved(sender: string, { senders }: Principal): void {
  const status = senders.get(sender)
  if (status === 'approved') return
  const approved = [...senders].flatMap(([name, status]) => (status === 'approved' ? [name] : []))
  const choice =
    approved.length > 0
      ? `Approved sender IDs: ${approved.join(', ')}.`
      : 'The account has no approved sender ID.'
  throw new Problem(
    'sender_not_approved',
    `Sender '${sender}' is ${status ?? 'not one of this account'}. ${choice}`,
  )
}
