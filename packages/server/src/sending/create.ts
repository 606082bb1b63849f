import type { Depart, Finalize } from '../delivery/index.ts'
import type { RateTable } from '../domain/rates.ts'
import type { Queries } from '../history/index.ts'
import type { Handlers } from '../platform/http/handler.ts'
import type { Worker } from '../platform/jobs/worker.ts'
import type { Parts } from '../platform/parts.ts'
import { createAccept } from './accept.ts'
import { createCancel } from './cancel.ts'
import { createEstimate } from './estimate.ts'
import type { SendLimits } from './limited-hold.ts'
import { cancelScheduledSms, estimateCost, scheduleSms, sendBulkSms, sendSms } from './routes.ts'
import { listScheduledSms } from './scheduled.ts'

export interface SendingParts extends Parts {
  worker: Pick<Worker, 'wake'>
  depart: Depart
  rates(): Promise<RateTable>
  queries: Queries
  finalize: Finalize
  limits: SendLimits
  /** How long a message may take to be delivered before it expires. */
  validityMs: number
}

export interface Sending {
  handlers: Pick<
    Handlers,
    'sendSms' | 'sendBulkSms' | 'scheduleSms' | 'listScheduledSms' | 'cancelScheduledSms' | 'estimateCost'
  >
}

export function createSending(parts: SendingParts): Sending {
  const { worker, metrics } = parts
  const accept = createAccept({
    ...parts,
    onAccepted(messages, scheduled) {
      metrics.messagesAccepted.inc(messages)
      if (scheduled > 0) worker.wake('scheduled')
    },
    onFault: parts.fault('sending'),
  })
  return {
    handlers: {
      sendSms: sendSms(accept),
      sendBulkSms: sendBulkSms(accept),
      scheduleSms: scheduleSms(accept),
      listScheduledSms: listScheduledSms(parts.database),
      cancelScheduledSms: cancelScheduledSms(createCancel(parts)),
      estimateCost: estimateCost(createEstimate(parts.rates)),
    },
  }
}
