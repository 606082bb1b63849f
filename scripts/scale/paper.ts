import { type Costs, GATEWAY } from './simulate.ts'

/** How busy a part may be: beyond it, waits grow faster than the load (one divided by what is idle). */
export const BUSY = 0.7

const MONTH_SECONDS = 30 * 86_400

export interface Commits {
  costs: Costs
  /** What a commit waits for: the flush, and a standby. */
  commitUs: number
}

/** Messages a second of so many processors, each of which is busy for the given part of the time. */
export function capacity(processors: number, us: number): number {
  return (BUSY * processors * 1e6) / us
}

/** How long a wallet's row is held for one batch of accepts and for one of endings. */
function holdUs({ costs, commitUs }: Commits, stage: 'accept' | 'finish', batch: number): number {
  const { statement, message } = costs[stage].database
  return statement + message * batch + commitUs
}

/**
 * Messages a second through one row: each is in one batch of accepts and in one of endings, and one batch at a time
 * holds the row, from the statement to the end of its commit.
 */
export function walletCapacity(commits: Commits, batches: { accept: number; finish: number }): number {
  const { accept, finish } = batches
  return 1e6 / (holdUs(commits, 'accept', accept) / accept + holdUs(commits, 'finish', finish) / finish)
}

/** The most that batches may hold. */
export const FULL = { accept: GATEWAY.mostAccepts, finish: GATEWAY.mostEndings }

/** Endings a second of one gateway: it reads and commits one full batch after the other. */
export function endingsOfGateway({ costs, commitUs }: Commits): number {
  const { gateway, database } = costs.finish
  const { mostEndings } = GATEWAY
  const statements = 2 * (gateway.statement + database.statement)
  const batchUs = statements + (gateway.message / 2 + database.message) * mostEndings + commitUs
  return (mostEndings * 1e6) / batchUs
}

/** Messages a second whose log a disk or a line carries. */
export function logCapacity(walBytes: number, bytesPerSecond: number): number {
  return (BUSY * bytesPerSecond) / walBytes
}

/** Gigabytes that a month of messages leaves behind. */
export function gigabytesOfMonth(bytes: number, perSecond: number): number {
  return (bytes * perSecond * MONTH_SECONDS) / 1e9
}
