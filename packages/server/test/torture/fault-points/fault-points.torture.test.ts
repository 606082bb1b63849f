import { describe, it } from 'vitest'
import type { EngineName } from '../../support/engine.ts'
import { addUp, atLength, checkFigures, type Figures } from '../../support/figures.ts'
import { endAt, type Stop } from './scene.ts'
import { type CarrierKind, STEPS, stepsWith } from './steps.ts'

/** How many gateways run at once. They wait for most of their time. */
const AT_ONCE = 6
const TIME_MS = atLength({ short: 1_200_000, full: 1_800_000 })

const CARRIERS: Record<CarrierKind, string> = {
  simulator: 'a carrier that can be asked',
  smpp: 'a carrier over SMPP',
}
const KINDS = Object.keys(CARRIERS) as CarrierKind[]

/** Steps whose statements are others on PostgreSQL. */
const OTHERS_ON_POSTGRES = [
  'accepted with its idempotency key, before the commit',
  'final and charged, before anything else',
  'cancelled, before the commit',
]

/** In short each step once, with the first of its carriers; in full with all of them, twice. */
const STOPS = atLength<Record<EngineName & ('an SQLite file' | 'PostgreSQL'), Omit<Stop, 'engine'>[]>>({
  short: {
    'an SQLite file': Object.keys(STEPS).map(once),
    PostgreSQL: OTHERS_ON_POSTGRES.map(once),
  },
  full: { 'an SQLite file': KINDS.flatMap(allOf), PostgreSQL: KINDS.flatMap(allOf) },
})

describe.each(['an SQLite file', 'PostgreSQL'] as const)(
  'a gateway on %s that ends at a step of a job',
  (engine) => {
    const kinds = KINDS.filter((kind) => STOPS[engine].some((stop) => stop.kind === kind))

    it.each(kinds)('leaves nothing undone and does nothing twice: %s', { timeout: TIME_MS }, async (kind) => {
      const runs = new Map<string, Figures>()
      const waiting = STOPS[engine].filter((stop) => stop.kind === kind)
      await Promise.all(Array.from({ length: AT_ONCE }, () => work(waiting)))
      checkFigures(`${engine}, ${CARRIERS[kind]}`, {
        'steps at which a gateway ended': runs.size,
        ...addUp(runs),
      })

      async function work(left: typeof waiting): Promise<void> {
        for (let stop = left.shift(); stop; stop = left.shift()) {
          const name = `${stop.step}, time ${stop.passage}`
          try {
            runs.set(name, await endAt({ engine, ...stop }))
          } catch (error) {
            throw new Error(`with a gateway that ended at "${name}"`, { cause: error })
          }
        }
      }
    })
  },
)

function once(step: string): Omit<Stop, 'engine'> {
  return { step, kind: STEPS[step]?.carriers?.[0] ?? 'simulator', passage: 1 }
}

function allOf(kind: CarrierKind): Omit<Stop, 'engine'>[] {
  return stepsWith(kind).flatMap((step) => [1, 2].map((passage) => ({ step, kind, passage })))
}
