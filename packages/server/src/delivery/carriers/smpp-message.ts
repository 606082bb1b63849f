import { type Address, alphabetOf, type ShortMessage, senderKindOf, shortMessagesOf } from '@wigwag/smpp'
import type { Submission } from '../carrier.ts'
import type { SmppSettings } from './smpp-settings.ts'

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
