import { NOBODY } from '../../flow/jobs/outbox.ts'
import type { Lane, Worker } from '../../flow/jobs/worker.ts'
import type { Parts } from '../../flow/parts.ts'
import { Repeating } from '../../flow/repeating.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { watchLowWallets } from '../../money/index.ts'
import type { Outbound } from '../../net/outbound/port.ts'
import type { Tx } from '../../store/database.ts'
import { LEASE_BEYOND_MS } from '../index.ts'
import { EventPoster } from './deliver.ts'
import { tellLowWallets } from './low-wallets.ts'
import { type AlertEvent, insertAlertEvents, insertPersonEvents, LANE } from './rows.ts'

/** Something about how somebody signs in. */
interface PersonNews {
  type: 'person.factor_added' | 'person.recovery_code_used'
  accountId: string
  personId: string
  factor: string
}

export type Events = ReturnType<typeof openEvents>

/** Opens the events: their lane, the look-out for low wallets, and the ways to tell of people and of alerts. */
export function openEvents(
  parts: Parts,
  own: {
    worker: Pick<Worker, 'notify'>
    outbound: Outbound
    realNow?: (() => EpochMs) | undefined
    /** Where events are posted, and the secrets that sign them; undefined for nowhere. */
    webhook: { url: string; secrets: readonly string[] } | undefined
    timeoutMs: number
    /** How often to look for wallets that ran low. */
    lowWalletCheckMs: number
  },
) {
  const { clock, newId, log, fault } = parts
  const { worker, webhook, timeoutMs, lowWalletCheckMs } = own
  watchLowWallets(parts)
  const poster = new EventPoster(parts, {
    ...own,
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
  /** Posts events that are due. */
  const lane: Lane = {
    ...LANE,
    handle: (jobs, done) => poster.deliver(jobs, done),
    batch: 16,
    underWay: 16,
    leaseMs: timeoutMs + LEASE_BEYOND_MS,
    gatherMs: 0,
  }
  const lowWallets = new Repeating(clock, {
    everyMs: lowWalletCheckMs,
    async work() {
      if ((await tellLowWallets(parts, webhook !== undefined)) > 0) worker.notify(LANE)
    },
    onFault: fault('low-wallets'),
  })
  return {
    /** Has the operator's webhook told, in the transaction of what happened. */
    async tell(tx: Tx, news: PersonNews): Promise<void> {
      const now = clock.now()
      if (webhook) await insertPersonEvents(tx, [{ ...news, id: newId(now), createdAt: now }])
    },
    /** Has the operator's webhook told of alerts, in the transaction that marks them as told. */
    async tellAlerts(tx: Tx, alerts: readonly AlertEvent[]): Promise<void> {
      if (webhook) await insertAlertEvents(tx, alerts)
    },
    /** Call after the commit of events. */
    notify: () => worker.notify(LANE),
    lane,
    lowWallets,
  }
}
