import { epochMs, type Ticket } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { checkContent } from '../../kernel/text/segments.ts'
import { HOUR_MS } from '../../kernel/time/spans.ts'
import { createOperatorAudit } from '../../store/audit/index.ts'
import type { Carrier, SubmitOutcome } from '../carrier.ts'
import { randomReference } from '../submit/long-references.ts'
import { type CarrierOverview, carrierOverview } from './overview.ts'
import { type Deciding, Settling } from './settling.ts'
import { type SetAside, type StuckMessage, type StuckPlace, setAsideJobs, stuckMessages } from './stuck.ts'
import { carrierReports, type LiveReport, pauseCarrier, requestReload, resumeCarrier } from './switches.ts'

/** Operators' control of carriers and messages while gateways run. Every change leaves an audit row. */
export class OperatorCarriers extends Settling {
  readonly #parts: Deciding
  readonly #audit: ReturnType<typeof createOperatorAudit>

  constructor(parts: Deciding) {
    super(parts)
    this.#parts = parts
    this.#audit = createOperatorAudit(parts)
  }

  overview(): Promise<CarrierOverview> {
    const { database, clock } = this.#parts
    return database.read((tx) => carrierOverview(tx, clock.now()))
  }

  reports(): Promise<LiveReport[]> {
    const { database, clock } = this.#parts
    return database.read((tx) => carrierReports(tx, clock.now()))
  }

  /** False when the carrier is already paused. */
  pause(carrier: string): Promise<boolean> {
    const { database, clock } = this.#parts
    return database.write(async (tx) => {
      const paused = await pauseCarrier(tx, carrier, clock.now())
      if (paused) await this.#audit(tx, { action: 'carrier.pause', detail: { carrier } })
      return paused
    })
  }

  /** False when the carrier is not paused. */
  resume(carrier: string): Promise<boolean> {
    return this.#parts.database.write(async (tx) => {
      const resumed = await resumeCarrier(tx, carrier)
      if (resumed) await this.#audit(tx, { action: 'carrier.resume', detail: { carrier } })
      return resumed
    })
  }

  /**
   * Asks the gateways to read their carriers again, unless that was done since there were `after` reloads. Their
   * reports show the number returned once they have.
   */
  reload(after?: number): Promise<number> {
    return this.#parts.database.write(async (tx) => {
      const { number, isNew } = await requestReload(tx, after)
      if (isNew) await this.#audit(tx, { action: 'carrier.reload' })
      return number
    })
  }

  /** The oldest messages that have waited since before a time, and why. Uncertain ones are apart. */
  stuck(before: number, limit: number, after?: StuckPlace): Promise<StuckMessage[]> {
    const { database, clock } = this.#parts
    return database.read((tx) => stuckMessages(tx, { now: clock.now(), before, limit, after }))
  }

  /** The jobs that keep failing, oldest first, those after one of them. */
  setAside(limit: number, after?: string): Promise<SetAside[]> {
    return this.#parts.database.read((tx) => setAsideJobs(tx, limit, after))
  }

  /** Submits one message to a carrier outside of any account. Rejects when there is no connection. */
  async trial(carrier: Carrier, trial: Omit<Trial, 'ticket'>): Promise<SubmitOutcome> {
    const { database, clock, newId } = this.#parts
    const { sender, recipient } = trial
    const detail = { carrier: carrier.name, sender, recipient }
    await database.write((tx) => this.#audit(tx, { action: 'carrier.test', detail }))
    return tryCarrier(carrier, { ...trial, ticket: newId(clock.now()) }, clock)
  }
}

interface Trial {
  ticket: Ticket
  sender: string
  recipient: string
  content: string
}

/** A carrier's answer, in words for people. */
export function outcomeInWords(carrier: string, outcome: SubmitOutcome): string {
  switch (outcome.kind) {
    case 'accepted':
      return `${carrier} took it as ${outcome.refs.map(({ ref }) => ref).join(', ') || 'a message without a reference'}.`
    case 'partly':
      return `${carrier} took ${outcome.refs.length} of ${outcome.parts} parts.`
    case 'uncertain':
      return `${carrier} did not answer: it may have taken it.`
    case 'rejected':
      return `${carrier} refused it: ${outcome.reason}`
    case 'not_taken':
    case 'later':
      return `${carrier} did not take it now: ${outcome.reason}`
  }
}

const CONNECT_MS = 5_000
const POLL_MS = 50

/**
 * Submits one message to a carrier outside of any account, over a separate connection that takes no receipts. Rejects
 * when there is no connection.
 */
async function tryCarrier(carrier: Carrier, trial: Trial, clock: Clock): Promise<SubmitOutcome> {
  let fault: unknown
  carrier.start({
    onReceipts: async () => {},
    onLateAnswer() {},
    onChange() {},
    onFault(error) {
      fault = error
    },
  })
  try {
    const deadline = clock.elapsed() + CONNECT_MS
    while (carrier.capacity() === 0) {
      if (clock.elapsed() > deadline)
        throw new Error(`no connection within ${CONNECT_MS / 1_000} s: ${carrier.state().reason}`)
      await new Promise<void>((resolve) => clock.after(POLL_MS, resolve))
    }
    const { encoding } = checkContent(trial.content)
    const expiresAt = epochMs(clock.now() + HOUR_MS)
    const reference = randomReference(trial.ticket)
    const outcome = await carrier.submit({ ...trial, encoding, expiresAt, reference, taken: [] })
    if (fault !== undefined) throw fault
    return outcome
  } finally {
    await carrier.close(CONNECT_MS)
  }
}
