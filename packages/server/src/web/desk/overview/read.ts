import { countDead, countRecent, type RecentCallbacks } from '../../../callbacks/index.ts'
import { type CarrierOverview, carrierOverview } from '../../../delivery/index.ts'
import { countJobs, countSetAside } from '../../../flow/jobs/outbox.ts'
import { type EpochMs, epochMs } from '../../../kernel/ids.ts'
import { HOUR_MS } from '../../../kernel/time/spans.ts'
import { type HourTotals, totalsByHour } from '../../../messages/index.ts'
import { countLow } from '../../../money/index.ts'
import { alertsSince } from '../../../operate/alerts/index.ts'
import { readTroubles, type Trouble } from '../../../operate/troubles/index.ts'
import type { Tx } from '../../../store/database.ts'
import { type DatabaseSize, databaseSize } from '../../../store/facts.ts'
import type { JobKind } from '../../../store/schema/schema.ts'
import { MOST_COUNTED } from '../../count.ts'
import type { DeskParts } from '../parts.ts'

export interface Overview extends Counts {
  now: EpochMs
  /** All that is wrong, the worst first. */
  troubles: readonly Trouble[]
  /** Since when the gateways see each of them, by its key. */
  since: ReadonlyMap<string, EpochMs>
  carriers: CarrierOverview
  size: DatabaseSize
}

interface Counts {
  /** Of the last hours that have any, the oldest first. */
  hours: readonly HourTotals[]
  told: RecentCallbacks
  waits: Readonly<Record<JobKind, number>>
  setAside: number
  dead: number
  low: number
}
/** Wallets that run low, each with a sentence of its own. */
const MOST_NAMED = 3
export const HOURS = 24
/** Several glances within this time share what was read. */
const KEPT_MS = 1_000
const TROUBLES_KEPT_MS = 10_000
const KINDS = ['scheduled', 'dispatch', 'await', 'callback'] as const

/** Reads the overview, and once for several glances. */
export class OverviewReader {
  readonly #parts: Pick<DeskParts, 'database' | 'config' | 'clock'>
  readonly #troubles: Kept<readonly Trouble[]>
  readonly #rest: Kept<Omit<Overview, 'troubles'>>

  constructor(parts: Pick<DeskParts, 'database' | 'config' | 'clock'>) {
    const { database, config, clock } = parts
    this.#parts = parts
    this.#troubles = new Kept(TROUBLES_KEPT_MS, clock, async () => {
      const wallets = { first: 'least', limit: MOST_NAMED } as const
      return (await readTroubles(database, config, { now: clock.now, wallets })).troubles
    })
    this.#rest = new Kept(KEPT_MS, clock, () => this.#readRest())
  }

  async read(): Promise<Overview> {
    return { ...(await this.#rest.read()), troubles: await this.#troubles.read() }
  }

  async #readRest(): Promise<Omit<Overview, 'troubles'>> {
    const { database, config, clock } = this.#parts
    const now = clock.now()
    const carriers = await database.read((tx) => carrierOverview(tx, now, MOST_COUNTED))
    const counts = await database.read((tx) => countsOf(tx, now))
    const since = await database.read(alertsSince)
    const size = await databaseSize(database, config.database)
    return { now, carriers, ...counts, since, size }
  }
}

async function countsOf(tx: Tx, now: EpochMs): Promise<Counts> {
  const firstHour = epochMs(Math.max(0, (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS))
  const waits = { scheduled: 0, dispatch: 0, await: 0, callback: 0 }
  for (const kind of KINDS) waits[kind] = await countJobs(tx, kind, MOST_COUNTED)
  return {
    hours: await totalsByHour(tx, firstHour),
    told: await countRecent(tx, epochMs(Math.max(0, now - HOUR_MS)), MOST_COUNTED),
    waits,
    setAside: (await countSetAside(tx)).reduce((sum, { count }) => sum + count, 0),
    dead: await countDead(tx, MOST_COUNTED),
    low: await countLow(tx),
  }
}

/** Reads at most once in a while, and never twice at a time. A failure is not kept. */
class Kept<T> {
  readonly #keptMs: number
  readonly #clock: Pick<DeskParts['clock'], 'elapsed'>
  readonly #read: () => Promise<T>
  #current: Promise<T> | undefined
  #readAt = Number.NEGATIVE_INFINITY

  constructor(keptMs: number, clock: Pick<DeskParts['clock'], 'elapsed'>, read: () => Promise<T>) {
    this.#keptMs = keptMs
    this.#clock = clock
    this.#read = read
  }

  read(): Promise<T> {
    if (this.#current && this.#clock.elapsed() - this.#readAt < this.#keptMs) return this.#current
    this.#readAt = Number.POSITIVE_INFINITY
    const reading = this.#read()
    this.#current = reading
    reading.then(
      () => {
        this.#readAt = this.#clock.elapsed()
      },
      () => {
        this.#current = undefined
      },
    )
    return reading
  }
}
