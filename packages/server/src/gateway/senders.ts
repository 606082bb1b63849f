import { Problem } from '../domain/errors.ts'
import type { Principal } from './principal.ts'

/** Only an approved sender ID of the account may send. The problem names the ones that may. */
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
