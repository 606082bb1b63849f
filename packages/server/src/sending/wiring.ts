import type { Depart, EndMessages } from '../delivery/index.ts'
import type { RateTable } from '../domain/money/rates.ts'
import type { Queries } from '../history/index.ts'
import type { NewMessage } from '../messages/index.ts'
import type { Handlers } from '../platform/http/handler.ts'
import type { Validate } from '../platform/http/validate.ts'
import { type Due, dueOf } from '../platform/jobs/claim.ts'
import type { Worker } from '../platform/jobs/worker.ts'
import type { Parts } from '../platform/parts.ts'
import { createAccept } from './accept.ts'
import { forPages, type SendingForPages } from './for-pages.ts'
import type { SendLimits } from './limited-hold.ts'
import { createProgress } from './progress.ts'
import { createEstimate, createQuote } from './quote.ts'
import { cancelScheduledSms, estimateCost, scheduleSms, sendBulkSms, sendSms } from './routes.ts'
import { createCancel, createScheduled, listScheduledSms } from './scheduled.ts'

const CALLBACKS_MS = 7 * 86_400_000

export interface SendingParts extends Parts {
  worker: Pick<Worker, 'notify'>
  depart: Depart
  rates(): Promise<RateTable>
  queries: Queries
  endMessages: EndMessages
  limits: SendLimits
  /** How long a message may take to be delivered before it expires. */
  validityMs: number
  validate: Validate
  mostInPart?: number | undefined
  lockWaitMs?: number | undefined
}

export interface Sending {
  handlers: Pick<
    Handlers,
    'sendSms' | 'sendBulkSms' | 'scheduleSms' | 'listScheduledSms' | 'cancelScheduledSms' | 'estimateCost'
  >
  forPages: SendingForPages
}

function dueWhenScheduled({ status, walletId, sendAt }: NewMessage): Due[] {
  return status === 'scheduled' ? [dueOf({ kind: 'scheduled', owner: walletId, runAt: sendAt })] : []
}

function logAccepted(log: Parts['log'], { id, accountId, status }: NewMessage): void {
  log.debug({ ticket: id, account: accountId, status }, 'a message was accepted')
}

export function createSending(parts: SendingParts): Sending {
  const { worker, metrics, changes, log, clock, newId, database, rates, tracing, validityMs } = parts
  const accepted = metrics.counter(
    'wigwag_messages_accepted_total',
    'This process: messages whose price was held.',
  )
  /** Callbacks are tried for about three days after the end of the validity. */
  const traced = ({ id, sendAt, createdAt }: NewMessage) => ({
    messageId: id,
    endsAt: Math.max(sendAt, createdAt) + validityMs + CALLBACKS_MS,
  })
  const accept = createAccept({
    ...parts,
    onAccepted(messages, scheduled) {
      accepted.inc(messages.length)
      for (const { walletId } of messages) changes.note(walletId)
      if (log.isLevelEnabled('debug')) for (const message of messages) logAccepted(log, message)
      if (scheduled > 0) worker.notify({ kind: 'scheduled', lane: '' }, messages.flatMap(dueWhenScheduled))
    },
    keepTrace: tracing && ((messages) => tracing.keep(messages.map(traced))),
    onFault: parts.fault('sending'),
  })
  const estimate = createEstimate(parts)
  const scheduled = createScheduled(database)
  const cancel = createCancel(parts)
  return {
    forPages: forPages({
      validate: parts.validate,
      newKey: () => newId(clock.now()),
      accept,
      estimate,
      quote: createQuote(rates),
      progress: createProgress(database),
      scheduled,
      cancel,
      mostInPart: parts.mostInPart,
    }),
    handlers: {
      sendSms: sendSms(accept),
      sendBulkSms: sendBulkSms(accept),
      scheduleSms: scheduleSms(accept),
      listScheduledSms: listScheduledSms(scheduled),
      cancelScheduledSms: cancelScheduledSms(cancel),
      estimateCost: estimateCost(estimate),
    },
  }
}
