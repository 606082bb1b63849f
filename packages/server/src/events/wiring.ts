import type { EpochMs } from '../domain/ids.ts'
import { watchLowWallets } from '../money/index.ts'
import type { Tx } from '../platform/database/database.ts'
import { NOBODY } from '../platform/jobs/outbox.ts'
import type { Lane, Worker } from '../platform/jobs/worker.ts'
import type { Outbound } from '../platform/outbound/port.ts'
import type { Parts } from '../platform/parts.ts'
import { createDeliverEvents } from './deliver.ts'
import { createLowWallets, type LowWallets } from './low-wallets.ts'
import { insertPersonEvents, LANE } from './rows.ts'

export interface EventsParts extends Parts {
  worker: Pick<Worker, 'notify'>
  outbound: Outbound
  realNow?: (() => EpochMs) | undefined
  /** Where events are posted, and the secrets that sign them; undefined for nowhere. */
  webhook: { url: string; secrets: readonly string[] } | undefined
  timeoutMs: number
  /** How often to look for wallets that ran low. */
  lowWalletCheckMs: number
}

/** Something about how somebody signs in. */
export interface PersonNews {
  type: 'person.factor_added' | 'person.recovery_code_used'
  accountId: string
  personId: string
  factor: string
}

export interface Events {
  /** Has the operator's webhook told, in the transaction of what happened. */
  tell(tx: Tx, news: PersonNews): Promise<void>
  /** Posts events that are due. */
  lane: Lane
  lowWallets: LowWallets
}

/** Added to the receiver's time, for the database work around a post. */
const LEASE_BEYOND_MS = 45_000

export function createEvents(parts: EventsParts): Events {
  const { clock, newId, log, worker, webhook, timeoutMs, lowWalletCheckMs, fault } = parts
  watchLowWallets(parts)
  const handle = createDeliverEvents({
    ...parts,
    random: Math.random,
    onAgain: (runAt) => worker.notify(LANE, [{ owner: NOBODY, runAt }]),
    onAttempt({ event, result, next }) {
      const answer = result.kind === 'reply' ? { status: result.status } : { failure: result.failure }
      const line = { event: event.id, type: event.type, account: event.accountId, ...answer, next: next.kind }
      if (next.kind === 'dead')
        log.error(line, "an event was given up: the operator's webhook did not take it")
      else log.info(line, "an event was posted to the operator's webhook")
    },
  })
  return {
    async tell(tx, news) {
      const now = clock.now()
      if (webhook) await insertPersonEvents(tx, [{ ...news, id: newId(now), createdAt: now }])
    },
    lane: {
      ...LANE,
      handle,
      batch: 16,
      underWay: 16,
      leaseMs: timeoutMs + LEASE_BEYOND_MS,
      gatherMs: 0,
    },
    lowWallets: createLowWallets({
      ...parts,
      everyMs: lowWalletCheckMs,
      tells: webhook !== undefined,
      onEvents: () => worker.notify(LANE),
      onFault: fault('low-wallets'),
    }),
  }
}
