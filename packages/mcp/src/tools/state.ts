import type { Message, Transaction } from '@wigwag/sdk'
import { quoted } from './plain-text.ts'

/** Words for the final statuses other than delivered and cancelled. */
const ENDS: Readonly<Record<string, string>> = {
  undelivered: 'it could not be delivered',
  expired: 'it expired before it could be delivered',
  rejected: 'it was rejected',
  failed: 'it failed',
}

/** The state of a message as a sentence that a person understands. */
export function stateOf(found: Message | Transaction): string {
  const { Status, To, Cost, DateCreated, EffectedAt } = found
  const the = `The message to ${To}`
  switch (Status) {
    case 'scheduled':
      return `${the} is scheduled${'SendAt' in found ? ` for ${found.SendAt}` : ''}; it can still be cancelled.`
    case 'pending':
      return `${the} was accepted at ${DateCreated} and is not final yet; ask again in a few seconds.`
    case 'success':
      return `${the} was delivered at ${EffectedAt} and cost ${Cost}, in the wallet's currency.`
    case 'cancelled':
      return `${the} was cancelled at ${EffectedAt}, and cost nothing.`
    default: {
      const end = ENDS[Status] ?? `it ended as ${quoted(Status)}`
      return `${the} was not delivered: ${end} at ${EffectedAt}. ${reasonOf(found)} It cost nothing.`
    }
  }
}

/** Other gateways may repeat what a carrier said, so the reason is quoted. */
function reasonOf(found: Message | Transaction): string {
  const reason = 'FailureReason' in found ? found.FailureReason : undefined
  return reason === undefined ? 'The gateway does not say why.' : `The reason given: ${quoted(reason)}.`
}

/** How many messages are in which status, such as `3 success, 1 failed`. */
export function countsOf(messages: readonly { status: string }[]): string {
  const counts = new Map<string, number>()
  for (const { status } of messages) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
}
