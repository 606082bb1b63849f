import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { createRandom } from '../../support/random.ts'
import type { Gateways } from './gateways.ts'

export interface FaultsOptions {
  gateways: Gateways
  /** A connection of an administrator, which is not cut. */
  administrator: pg.Client
  seed: number
  /** How long it is quiet between two faults, on average. */
  everyMs: number
  /** The kinds of the first faults, and of those that follow, again and again. */
  kinds: readonly [Fault, ...Fault[]]
  atLeast: number
}

/** `hang` stops a gateway for longer than its leases last, so that others take over what it was about to do. */
export type Fault = 'kill' | 'freeze' | 'hang' | 'cut'

export type FaultCounts = Record<Fault, number>

export const NO_FAULTS: FaultCounts = { kill: 0, freeze: 0, hang: 0, cut: 0 }

const LEASE_MS = 30_000

/** Does one fault after the other to gateways at random, until it is stopped, and no fewer than it is asked for. */
export function startFaults({ gateways, administrator, seed, everyMs, kinds, atLeast }: FaultsOptions) {
  const random = createRandom(seed)
  const counts = { ...NO_FAULTS }
  const stop = new AbortController()
  const rest = (ms: number) => pause(ms, undefined, { signal: stop.signal }).catch(() => undefined)

  const does: Record<Fault, (victim: number) => Promise<void>> = {
    kill: (victim) => gateways.kill(victim, random.from(0, 600)),
    freeze: (victim) => gateways.freeze(victim, random.from(200, 1_500)),
    hang: (victim) => gateways.freeze(victim, LEASE_MS + random.from(2_000, 6_000)),
    cut: () => cutConnections(administrator, random.from(30, 101)),
  }

  async function work(): Promise<void> {
    for (let index = 0; ; index++) {
      await rest(random.from(everyMs / 2, (everyMs * 3) / 2))
      if (stop.signal.aborted && index >= atLeast) return
      const kind = kinds[index % kinds.length] ?? kinds[0]
      await does[kind](random.from(0, gateways.count))
      counts[kind]++
    }
  }

  const working = work()
  working.catch(() => undefined)
  return {
    counts,
    async stop() {
      stop.abort()
      await working
    },
  }
}

/** Ends a part of all connections to the database, the operator's too, whatever they are doing. */
async function cutConnections(administrator: pg.Client, percent: number): Promise<void> {
  await administrator.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() * 100 < $1`,
    [percent],
  )
}
