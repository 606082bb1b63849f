import {
  type Address,
  type Answer,
  alphabetOf,
  type DeliveryReceipt,
  type MessageState,
  type ShortMessage,
  senderKindOf,
  shortMessagesOf,
} from '@wigwag/smpp'
import { decimalOf, hexOf } from '../../kernel/carrier-reference.ts'
import {
  type CarrierVerdict,
  ownRef,
  type PartRef,
  type Receipt,
  type Refusal,
  type Submission,
  type SubmitOutcome,
} from '../carrier.ts'
import type { SmppSettings } from './settings.ts'

/** A message as short messages, one for each part, as its carrier wants them. */
export function partsFor(message: Submission, now: number, settings: SmppSettings): ShortMessage[] {
  const { content, sender, recipient, reference, encoding, expiresAt } = message
  const { alphabet, long, serviceType, flash, numbers } = settings
  return shortMessagesOf({
    source: sourceOf(sender, settings),
    destination: { ...numbers.recipient, digits: recipient },
    text: content,
    alphabet: encoding === 'GSM-7' ? alphabetOf(content, alphabet) : 'ucs2',
    long,
    reference,
    serviceType,
    flash,
    validForMs: expiresAt - now,
  })
}

/** The address of a sender, by its kind. */
export function sourceOf(sender: string, { numbers }: SmppSettings): Address {
  return { ...numbers[senderKindOf(sender)], digits: sender }
}

const LONGEST = 64
const INVISIBLE = /[^!-~]/g

/** An id as its carrier wrote it, but for characters that can't be seen. */
export function idOfAnswer(id: string): string {
  return id.replace(INVISIBLE, '').slice(0, LONGEST)
}

/** The id of a receipt in the number system of its carrier's answers. */
export function idOfReceipt(id: string, form: SmppSettings['ids']): string {
  const written = idOfAnswer(id)
  if (form === 'hex-then-decimal') return hexOf(written) ?? written
  if (form === 'decimal-then-hex') return decimalOf(written) ?? written
  return written
}

/** The answers to the parts of a message that were submitted, by part. The ids are spelt as references. */
export type PartAnswers = ReadonlyMap<number, Answer>

/**
 * The outcome of a message from those of its parts. A part whose answer has no id, or that of another part, is taken all
 * the same: it gets a reference of ours.
 */
export function outcomeOf(
  { ticket, taken }: Pick<Submission, 'ticket' | 'taken'>,
  answers: PartAnswers,
  parts: number,
): SubmitOutcome {
  const refs: PartRef[] = []
  const used = new Set([''])
  const refusals: Refusal[] = []
  for (const [part, answer] of answers) {
    if (answer.kind !== 'accepted') refusals.push(answer)
    else {
      refs.push({ part, ref: used.has(answer.id) ? ownRef(ticket, part) : answer.id })
      used.add(answer.id)
    }
  }
  const rest = worst(refusals)
  if (rest === undefined) return { kind: 'accepted', refs, parts }
  return refusals.length < answers.size || taken.length > 0 ? { kind: 'partly', refs, parts, rest } : rest
}

const SEVERITY: readonly Refusal['kind'][] = ['rejected', 'uncertain', 'not_taken', 'later']

/** A message without one of its parts is no message, so the refusal that leaves the least hope counts. */
function worst(refusals: readonly Refusal[]): Refusal | undefined {
  for (const kind of SEVERITY) {
    const found = refusals.find((refusal) => refusal.kind === kind)
    if (found) return found
  }
  return undefined
}

/** How a state ends a message; undefined for one that does not. */
const VERDICTS: Record<MessageState, CarrierVerdict | undefined> = {
  enroute: undefined,
  delivered: 'success',
  expired: 'expired',
  deleted: 'failed',
  undeliverable: 'undelivered',
  accepted: undefined,
  unknown: undefined,
  rejected: 'rejected',
  skipped: 'failed',
}

/** The receipt of a part; undefined when its state ends nothing. */
export function receiptOf(ref: string, { state, error }: Omit<DeliveryReceipt, 'id'>): Receipt | undefined {
  const verdict = VERDICTS[state]
  if (verdict === undefined) return undefined
  if (verdict === 'success') return { ref, verdict }
  const code = /^0*$/.test(error) ? '' : ` (error ${error})`
  return { ref, verdict, reason: `The carrier says: ${state}${code}.` }
}
