import { type EpochMs, epochMs, firstTicketAt } from '../../kernel/ids.ts'
import type { Retention } from '../../kernel/time/spans.ts'
import type { Tx } from '../../store/database.ts'
import { readSetting, writeSetting } from '../../store/settings.ts'
import type { CarrierState } from '../carrier.ts'
import type { FixedPassword } from '../plan/index.ts'
import type { Rested } from './throttling.ts'

/**
 * How an operator's commands reach the processes that run carriers: commands write here, and each process looks every
 * second, and writes how its carriers are.
 */

/** A process's report of its carriers, and of how long it keeps finished records. */
export interface CarrierReport {
  /** The host and the process id, for people. */
  name: string
  /** Of the program. */
  version: string
  /** The number of the newest step of the schema that the program knows. A program that does not say so knows none. */
  schema?: number
  startedAt: EpochMs
  /** Names the secrets of the gateway that it knows. A program that does not say so knows none. */
  secrets?: readonly string[]
  /** The text of {@link routingOf} for its plan. */
  routing?: string
  /** The reload that was asked for last when the file was read. */
  reload: number
  /** Since when the plan is in force by which it works. */
  since: EpochMs
  /** Why the carriers' file could not be read then; empty if it could. */
  problems: readonly string[]
  warnings: readonly string[]
  /** Passwords that the process can't read again. A program that does not say so knows none. */
  fixed?: readonly FixedPassword[]
  carriers: readonly CarrierLine[]
  /** Names of threads that ended by themselves within the hour. A program that does not say so may have any. */
  endedThreads?: readonly string[]
  retain: Retention
}

export interface CarrierLine extends CarrierState {
  carrier: string
  /** Where it is, without a password. */
  place: string
  paused: boolean
  since: number
  /** How many more messages it would take now. */
  capacity: number
  /** A program that does not say so has not counted. */
  rested?: Rested
}

/** The report of a process that runs now. */
export interface LiveReport extends CarrierReport {
  /** Its id among the processes that share the database. */
  process: string
}

/** Operators' requests to all processes. */
export interface OperatorRequests {
  /** The paused carriers, each with the time of the pause. */
  paused: ReadonlyMap<string, EpochMs>
  /** How many reloads. */
  reloads: number
}

export async function readRequests(tx: Tx): Promise<OperatorRequests> {
  return { paused: await pausedCarriers(tx), reloads: await requestedReloads(tx) }
}

/** A report is written again after this time even if nothing has changed. */
export const REPORT_MS = 10_000
/** Reports that are older come from processes that have died. */
const REPORT_COUNTS_MS = 3 * REPORT_MS

export async function pausedCarriers({ run }: Tx): Promise<Map<string, EpochMs>> {
  const rows = await run<{ carrier: string; at: EpochMs }>(
    'SELECT carrier, at FROM carrier_pauses ORDER BY carrier',
    [],
  )
  return new Map(rows.map(({ carrier, at }) => [carrier, at]))
}

/** False when the carrier is already paused. */
export async function pauseCarrier({ run }: Tx, carrier: string, now: EpochMs): Promise<boolean> {
  const added = await run(
    'INSERT INTO carrier_pauses (carrier, at) VALUES ($1, $2) ON CONFLICT (carrier) DO NOTHING RETURNING carrier',
    [carrier, now],
  )
  return added.length > 0
}

/** False when the carrier is not paused. */
export async function resumeCarrier({ run }: Tx, carrier: string): Promise<boolean> {
  const removed = await run('DELETE FROM carrier_pauses WHERE carrier = $1 RETURNING carrier', [carrier])
  return removed.length > 0
}

/** Asks all processes to read their carriers again, unless that was done since there were `after` reloads. */
export async function requestReload(tx: Tx, after?: number): Promise<{ number: number; isNew: boolean }> {
  const requested = await requestedReloads(tx)
  if (after !== undefined && requested > after) return { number: requested, isNew: false }
  await writeSetting(tx, 'carriers_reload', String(requested + 1))
  return { number: requested + 1, isNew: true }
}

/** How many reloads were asked for. */
export async function requestedReloads(tx: Tx): Promise<number> {
  return Number((await readSetting(tx, 'carriers_reload')) ?? 0)
}

/** The reports of the processes that run now. */
export async function carrierReports({ run }: Tx, now: EpochMs): Promise<LiveReport[]> {
  const rows = await run<{ process: string; report: string }>(
    'SELECT process, report FROM carrier_reports WHERE at >= $1 ORDER BY process',
    [now - REPORT_COUNTS_MS],
  )
  return rows.map(({ process, report }) => ({ process, ...(JSON.parse(report) as CarrierReport) }))
}

/** The processes that run now and do not know a step of the schema, each with its version. */
export async function processesBefore(tx: Tx, step: number, now: EpochMs): Promise<string[]> {
  const reports = await carrierReports(tx, now)
  return reports.filter(({ schema = 0 }) => schema < step).map(nameOf)
}

/** The processes that do not know a secret, each with its version. */
export function withoutSecret(reports: readonly LiveReport[], secret: string): string[] {
  return reports.filter(({ secrets = [] }) => !secrets.includes(secret)).map(nameOf)
}

function nameOf({ name, version }: CarrierReport): string {
  return `${name} (version ${version})`
}

/** Whether every process that runs now has the same plan. While a new file goes round, some have the one before. */
export async function agreeOn(tx: Tx, routing: string, now: EpochMs): Promise<boolean> {
  return (await carrierReports(tx, now)).every((report) => report.routing === routing)
}

/** Writes a report, and removes those of processes that have died. */
export async function writeReport({ run }: Tx, process: string, report: string, now: EpochMs): Promise<void> {
  await run('DELETE FROM carrier_reports WHERE at < $1', [now - REPORT_COUNTS_MS])
  await run(
    `INSERT INTO carrier_reports (process, at, report) VALUES ($1, $2, $3)
     ON CONFLICT (process) DO UPDATE SET at = excluded.at, report = excluded.report`,
    [process, now, report],
  )
}

export async function removeReport({ run }: Tx, process: string): Promise<void> {
  await run('DELETE FROM carrier_reports WHERE process = $1', [process])
}

/** Who paused a carrier, and why. */
export interface CarrierPause {
  actor: string
  reason: string | undefined
}

/** The entry of a pause is written in its transaction, a moment after the pause was dated. */
const WRITTEN_WITHIN_MS = 10_000

/** A pause's entry in the audit log; undefined when the log does not go back so far. */
export async function pauseOf({ run }: Tx, carrier: string, at: EpochMs): Promise<CarrierPause | undefined> {
  const rows = await run<{ actor: string; detail: string }>(
    `SELECT actor, detail FROM audit WHERE id >= $1 AND id < $2 AND action = 'carrier.pause' ORDER BY id`,
    [firstTicketAt(at), firstTicketAt(epochMs(at + WRITTEN_WITHIN_MS))],
  )
  for (const { actor, detail } of rows) {
    const { carrier: named, reason } = JSON.parse(detail) as { carrier?: string; reason?: string }
    if (named === carrier) return { actor, reason }
  }
  return undefined
}
