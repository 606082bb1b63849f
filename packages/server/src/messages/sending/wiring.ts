import { type Due, dueOf } from '../../flow/jobs/claim.ts'
import type { Worker } from '../../flow/jobs/worker.ts'
import type { Parts } from '../../flow/parts.ts'
import type { RateTable } from '../../kernel/money/rates.ts'
import { DAY_MS } from '../../kernel/time/spans.ts'
import type { Validation } from '../../net/server/validate.ts'
import type { Queries } from '../history/index.ts'
import type { Depart, EndMessages, NewMessage } from '../index.ts'
import { Accept } from './accept.ts'
import { SendingForPages } from './for-pages.ts'
import type { SendLimits } from './limited-hold.ts'
import { sendingHandlers } from './routes.ts'

/** Callbacks are tried for about three days after the end of the validity. */
const CALLBACKS_MS = 7 * DAY_MS

export type Sending = ReturnType<typeof openSending>

/** Opens the sending subject: accepting, and the handlers of its routes. */
export function openSending(
  parts: Parts,
  own: {
    worker: Pick<Worker, 'notify'>
    depart: Depart
    rates(): Promise<RateTable>
    queries: Queries
    endMessages: EndMessages
    limits: SendLimits
    /** How long a message may take to be delivered before it expires. */
    validityMs: number
    validation: Validation
    mostInPart?: number | undefined
    lockWaitMs?: number | undefined
  },
) {
  const { metrics, changes, log, tracing } = parts
  const { worker, depart, rates, limits, validityMs, lockWaitMs, validation, mostInPart } = own
  const counter = metrics.counter(
    'wigwag_messages_accepted_total',
    'This process: messages whose price was held.',
  )
  const traced = ({ id, sendAt, createdAt }: NewMessage) => ({
    messageId: id,
    endsAt: Math.max(sendAt, createdAt) + validityMs + CALLBACKS_MS,
  })
  const accept = new Accept(parts, {
    rates,
    validityMs,
    limits,
    lockWaitMs,
    depart,
    onAccepted(messages, scheduled) {
      counter.inc(messages.length)
      for (const { walletId } of messages) changes.note(walletId)
      if (log.isLevelEnabled('debug')) for (const message of messages) logAccepted(log, message)
      if (scheduled > 0) worker.notify({ kind: 'scheduled', lane: '' }, messages.flatMap(dueWhenScheduled))
    },
    keepTrace: tracing && ((messages) => tracing.keep(messages.map(traced))),
    onFault: parts.fault('sending'),
  })
  const shared = { ...parts, ...own }
  return {
    forPages: new SendingForPages(shared, { accept, validation, mostInPart }),
    handlers: sendingHandlers(accept, shared),
  }
}

function dueWhenScheduled({ status, walletId, sendAt }: NewMessage): Due[] {
  return status === 'scheduled' ? [dueOf({ kind: 'scheduled', owner: walletId, runAt: sendAt })] : []
}

function logAccepted(log: Parts['log'], { id, accountId, status }: NewMessage): void {
  log.debug({ ticket: id, account: accountId, status }, 'a message was accepted')
}
