import { createOperatorAudit } from '../../audit/index.ts'
import type { Carrier, SubmitOutcome } from '../carrier.ts'
import { type CarrierOverview, carrierOverview } from './overview.ts'
import { createSettling, type Settling, type SettlingParts } from './settling.ts'
import { type SetAside, type StuckMessage, type StuckPlace, setAsideJobs, stuckMessages } from './stuck.ts'
import { carrierReports, type LiveReport, pauseCarrier, requestReload, resumeCarrier } from './switches.ts'
import { type Trial, tryCarrier } from './try-carrier.ts'

/** What an operator can do with carriers and messages while gateways run. Every change leaves an audit row. */
export interface OperatorCarriers extends Settling {
  overview(): Promise<CarrierOverview>
  reports(): Promise<LiveReport[]>
  /** False when the carrier is already paused. */
  pause(carrier: string): Promise<boolean>
  /** False when the carrier is not paused. */
  resume(carrier: string): Promise<boolean>
  /**
   * Asks the gateways to read their carriers again, unless that was done since there were `after` reloads. Their
   * reports show the number returned once they have.
   */
  reload(after?: number): Promise<number>
  /** The oldest messages that have waited since before a time, and why. Uncertain ones are apart. */
  stuck(before: number, limit: number, after?: StuckPlace): Promise<StuckMessage[]>
  /** The jobs that keep failing, oldest first, those after one of them. */
  setAside(limit: number, after?: string): Promise<SetAside[]>
  /** Submits one message to a carrier outside of any account. Rejects when there is no connection. */
  trial(carrier: Carrier, trial: Omit<Trial, 'ticket'>): Promise<SubmitOutcome>
}

export function createOperatorCarriers(parts: SettlingParts): OperatorCarriers {
  const { database, clock, newId } = parts
  const audit = createOperatorAudit(parts)

  return {
    ...createSettling(parts),
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
    reload: (after) =>
      database.write(async (tx) => {
        const { number, isNew } = await requestReload(tx, after)
        if (isNew) await audit(tx, { action: 'carrier.reload' })
        return number
      }),
    stuck: (before, limit, after) =>
      database.read((tx) => stuckMessages(tx, { now: clock.now(), before, limit, after })),
    setAside: (limit, after) => database.read((tx) => setAsideJobs(tx, limit, after)),
  }
}
