import { accountsWith } from '../../accounts/index.ts'
import { countDead, countRecent, type RecentCallbacks } from '../../callbacks/index.ts'
import { type CarrierOverview, carrierOverview } from '../../delivery/index.ts'
import { inspect } from '../../doctor/index.ts'
import type { Finding } from '../../domain/finding.ts'
import { type EpochMs, epochMs } from '../../domain/ids.ts'
import { type HourTotals, totalsByHour } from '../../messages/index.ts'
import { countLow, type LowWallet, lowestWallets } from '../../money/index.ts'
import type { Tx } from '../../platform/database/database.ts'
import { type DatabaseSize, databaseSize } from '../../platform/database/facts.ts'
import type { JobKind } from '../../platform/database/schema.ts'
import { countJobs, countSetAside } from '../../platform/jobs/outbox-check.ts'
import type { DeskParts } from '../parts.ts'

/** What the overview shows. */
export interface Overview extends Counts {
  now: EpochMs
  /** What doctor finds without what takes long. */
  findings: readonly Finding[]
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
  /** Of these the ones with the least left. */
  lowest: readonly (LowWallet & { name: string })[]
}

/** Counting stops here, so that a glance costs the same with a million messages. */
export const MOST_COUNTED = 10_000
/** Wallets that run low, each with a sentence of its own. */
const MOST_NAMED = 3
export const HOUR_MS = 3_600_000
export const HOURS = 24
/** Several glances within this time share what was read. */
const KEPT_MS = 1_000
const FINDINGS_KEPT_MS = 10_000
const KINDS = ['scheduled', 'dispatch', 'await', 'callback'] as const

export type ReadOverview = () => Promise<Overview>

export function createReadOverview({ database, config, clock }: DeskParts): ReadOverview {
  async function counts(now: EpochMs): Promise<Counts> {
    return database.read(async (tx) => {
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
        lowest: await lowestOf(tx),
      }
    })
  }

  const findings = kept(FINDINGS_KEPT_MS, clock, () =>
    inspect(database, config, { quick: true, now: clock.now }),
  )
  const rest = kept(KEPT_MS, clock, async () => {
    const now = clock.now()
    const carriers = await database.read((tx) => carrierOverview(tx, now, MOST_COUNTED))
    return { now, carriers, ...(await counts(now)), size: await databaseSize(database, config.database) }
  })
  return async () => ({ ...(await rest()), findings: await findings() })
}

async function lowestOf(tx: Tx): Promise<Counts['lowest']> {
  const lowest = await lowestWallets(tx, MOST_NAMED)
  const accounts = await accountsWith(
    tx,
    lowest.map(({ accountId }) => accountId),
  )
  return lowest.map((wallet) => ({
    ...wallet,
    name: accounts.get(wallet.accountId)?.name ?? wallet.accountId,
  }))
}

/** Reads at most once in a while, and never twice at a time. A failure is not kept. */
function kept<T>(keptMs: number, { elapsed }: Pick<DeskParts['clock'], 'elapsed'>, read: () => Promise<T>) {
  let current: Promise<T> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  return (): Promise<T> => {
    if (current && elapsed() - readAt < keptMs) return current
    readAt = Number.POSITIVE_INFINITY
    const reading = read()
    current = reading
    reading.then(
      () => {
        readAt = elapsed()
      },
      () => {
        current = undefined
      },
    )
    return reading
  }
}
