import { createOperatorAudit, type OperatorAuditOptions } from '../../audit/index.ts'
import { FAILURES } from '../../domain/failure-reasons.ts'
import type { EpochMs, Ticket } from '../../domain/ids.ts'
import type { Changes } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Carrier, SubmitOutcome } from '../carrier.ts'
import type { Ending } from '../finish/endings.ts'
import { createFinishOne } from '../finish/finish.ts'
import { type CarrierOverview, carrierOverview } from './overview.ts'
import { type StuckMessage, stuckMessages } from './stuck.ts'
import { askForReload, carrierReports, type LiveReport, pauseCarrier, resumeCarrier } from './switches.ts'
import { type Trial, tryCarrier } from './try-carrier.ts'
import {
  countUncertain,
  lockUncertain,
  type Standing,
  standingOf,
  type UncertainMessage,
  uncertainMessages,
} from './uncertain.ts'

/** What an operator can do with carriers and messages while gateways run. Every change leaves an audit row. */
export interface CarrierOffice {
  overview(): Promise<CarrierOverview>
  reports(): Promise<LiveReport[]>
  /** False when the carrier is already paused. */
  pause(carrier: string): Promise<boolean>
  /** False when the carrier is not paused. */
  resume(carrier: string): Promise<boolean>
  /** Asks the gateways to read their carriers again. Their reports show the number returned once they have. */
  reload(): Promise<number>
  /** The oldest messages whose carrier never said whether it took them, and how many there are. */
  uncertain(limit: number): Promise<{ total: number; messages: UncertainMessage[] }>
  /** The oldest messages that have waited since before a time, and why. */
  stuck(before: number, limit: number): Promise<StuckMessage[]>
  /** What is known of a message; undefined when there is none. */
  standing(ticket: string): Promise<Standing | undefined>
  /** Submits one message to a carrier outside of any account. Rejects when there is no connection. */
  trial(carrier: Carrier, trial: Omit<Trial, 'ticket'>): Promise<SubmitOutcome>
  /** Decides how such a message ended. */
  settle(ticket: string, status: 'success' | 'failed'): Promise<Decided>
}

export interface Decided {
  /** False when the message was not uncertain: then nothing has changed. */
  settled: boolean
  /** The message as it is now; undefined when there is none. */
  message: Standing | undefined
}

export interface CarrierOfficeParts extends OperatorAuditOptions {
  database: Database
  clock: Clock
  changes: Pick<Changes, 'note'>
  newId(now: EpochMs): Ticket
}

export function createCarrierOffice(parts: CarrierOfficeParts): CarrierOffice {
  const { database, clock, changes, newId } = parts
  const audit = createOperatorAudit(parts)
  const finishOne = createFinishOne(database)

  return {
    overview: () => database.read((tx) => carrierOverview(tx, clock.now())),
    reports: () => database.read((tx) => carrierReports(tx, clock.now())),
    pause: (carrier) =>
      database.write(async (tx) => {
        const paused = await pauseCarrier(tx, carrier, clock.now())
        if (paused) await audit(tx, { action: 'carrier.pause', detail: { carrier } })
        return paused
      }),
    async trial(carrier, trial) {
      const { sender, recipient } = trial
      const detail = { carrier: carrier.name, sender, recipient }
      await database.write((tx) => audit(tx, { action: 'carrier.test', detail }))
      return tryCarrier(carrier, { ...trial, ticket: newId(clock.now()) }, clock)
    },
    resume: (carrier) =>
      database.write(async (tx) => {
        const resumed = await resumeCarrier(tx, carrier)
        if (resumed) await audit(tx, { action: 'carrier.resume', detail: { carrier } })
        return resumed
      }),
    reload: () =>
      database.write(async (tx) => {
        const number = await askForReload(tx)
        await audit(tx, { action: 'carrier.reload' })
        return number
      }),
    uncertain: (limit) =>
      database.read(async (tx) => {
        const counts = await countUncertain(tx, clock.now())
        const messages = await uncertainMessages(tx, clock.now(), limit)
        return { total: counts.reduce((sum, { count }) => sum + count, 0), messages }
      }),
    stuck: (before, limit) => database.read((tx) => stuckMessages(tx, { now: clock.now(), before, limit })),

    standing: (ticket) => database.read((tx) => standingOf(tx, ticket, clock.now())),

    async settle(ticket, status) {
      const now = clock.now()
      const before = await database.read((tx) => standingOf(tx, ticket, now))
      if (!before) return { settled: false, message: undefined }
      const { accountId, carrier } = before
      const entry = { accountId, detail: { ticket, carrier, status } }
      const { settled, walletIds } = await finishOne(decision(ticket as Ticket, status), {
        now,
        newId,
        onlyIf: (tx) => lockUncertain(tx, ticket, now),
        record: (tx) => audit(tx, { ...entry, action: 'message.settle' }),
      })
      for (const id of walletIds) changes.note(id)
      return {
        settled: settled.length > 0,
        message: await database.read((tx) => standingOf(tx, ticket, now)),
      }
    },
  }
}

function decision(ticket: Ticket, status: 'success' | 'failed'): Ending {
  const ending = { ticket, status, carrierRef: '', submittedAt: 0 }
  if (status === 'success') return ending
  return { ...ending, reason: FAILURES.decided }
}
