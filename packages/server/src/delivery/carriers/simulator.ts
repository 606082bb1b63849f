import type { Ticket } from '../../domain/ids.ts'
import type { Clock } from '../../platform/clock.ts'
import type {
  Asked,
  Carrier,
  CarrierVerdict,
  QueryOutcome,
  Receipt,
  Submission,
  SubmitOutcome,
} from '../carrier.ts'

export interface SimulatorOptions {
  clock: Clock
  /** How long a phone takes to answer. */
  delayMs: number
  /** How long the carrier takes to answer a submission. */
  answerMs: number
  /** Whether it answers queries about messages; not every carrier does. */
  canBeAsked: boolean
  onFault(error: unknown): void
}

export interface Simulator extends Carrier {
  /** Gives a message its receipt now; for messages that get none otherwise. */
  tell(ticket: Ticket, verdict: CarrierVerdict): Promise<void>
}

type Outcome = CarrierVerdict | 'refused' | 'never_taken' | 'silent' | 'repeated'

/** The outcome of a message, by the last digits of its recipient. */
function outcomeOf(recipient: string): Outcome {
  switch (recipient.slice(-5)) {
    case '00001':
      return 'undelivered'
    case '00002':
      return 'expired'
    case '00003':
      return 'refused'
    case '00004':
      return 'never_taken'
    case '00005':
      return 'silent'
    case '00006':
      return 'repeated'
    default:
      return 'success'
  }
}

const REASONS: Partial<Record<CarrierVerdict, string>> = {
  undelivered: 'The simulator says that the phone cannot be reached.',
  expired: 'The simulator says that the message waited too long.',
}

/**
 * A carrier without phones, for development: the last digits of a recipient decide how its message ends. The carrier
 * reference encodes that outcome, so queries still work after a restart.
 */
export function createSimulator(options: SimulatorOptions): Simulator {
  const { clock, delayMs, answerMs, canBeAsked, onFault } = options
  let take: (receipts: readonly Receipt[]) => Promise<void> = async () => {}
  const cancels = new Set<() => void>()
  let closed = false
  const told = new Map<Ticket, CarrierVerdict>()

  function later(afterMs: number, work: () => void): void {
    const cancel = clock.after(afterMs, () => {
      cancels.delete(cancel)
      work()
    })
    cancels.add(cancel)
  }

  function deliver(receipts: readonly Receipt[], afterMs: number): void {
    if (receipts.length === 0) return
    later(afterMs, () => {
      take(receipts).catch((error: unknown) => {
        // Receipts not taken before the shutdown are queried after the next start.
        if (!closed) onFault(error)
      })
    })
  }

  async function query(messages: readonly Asked[]): Promise<QueryOutcome[]> {
    return messages.map(({ ticket, carrierRef }): QueryOutcome => {
      if (carrierRef === undefined) return { kind: 'never_received' }
      const verdict = told.get(ticket) ?? verdictBy(carrierRef, clock.now() - delayMs)
      return verdict === undefined
        ? { kind: 'under_way', carrierRef }
        : { kind: 'final', receipt: receipt(ticket, carrierRef, verdict) }
    })
  }

  return {
    name: 'simulator',
    receiptExpectedMs: delayMs + 2_000,

    async submit(messages) {
      if (answerMs > 0) await new Promise<void>((resolve) => later(answerMs, resolve))
      const now = clock.now()
      const results = messages.map((message) => submitOne(message, now))
      deliver(
        results.flatMap(({ receipts }) => receipts),
        delayMs,
      )
      deliver(
        results.flatMap(({ reordered }) => reordered),
        delayMs + 1,
      )
      return results.map(({ outcome }) => outcome)
    },

    query: canBeAsked ? query : undefined,

    async tell(ticket, verdict) {
      told.set(ticket, verdict)
      await take([receipt(ticket, `sim-told-${verdict}`, verdict)])
    },

    onReceipts(handler) {
      take = handler
    },

    close() {
      closed = true
      for (const cancel of cancels) cancel()
      cancels.clear()
    },
  }
}

function submitOne({ ticket, recipient }: Submission, now: number) {
  const outcome = outcomeOf(recipient)
  const nothing = { receipts: [] as Receipt[], reordered: [] as Receipt[] }
  if (outcome === 'refused') return { outcome: rejected, ...nothing }
  if (outcome === 'never_taken') return { outcome: notTaken, ...nothing }
  const carrierRef = `sim-${outcome}-${now}`
  const accepted: SubmitOutcome = { kind: 'accepted', carrierRef }
  if (outcome === 'silent') return { outcome: accepted, ...nothing }
  if (outcome !== 'repeated') {
    return { outcome: accepted, receipts: [receipt(ticket, carrierRef, outcome)], reordered: [] }
  }
  const success = receipt(ticket, carrierRef, 'success')
  const contrary = receipt(ticket, carrierRef, 'undelivered')
  return { outcome: accepted, receipts: [success, success], reordered: [contrary, success] }
}

const rejected: SubmitOutcome = { kind: 'rejected', reason: 'The simulator refuses this number.' }
const notTaken: SubmitOutcome = { kind: 'not_taken', reason: 'the simulator takes nothing for this number' }

/** Reads `sim-<outcome>-<when>`: the verdict, or undefined before the delay has passed or when there is none. */
function verdictBy(carrierRef: string, submittedBefore: number): CarrierVerdict | undefined {
  const [, outcome, at] = carrierRef.split('-')
  if (Number(at) > submittedBefore) return undefined
  if (outcome === 'repeated') return 'success'
  return outcome === 'success' || outcome === 'undelivered' || outcome === 'expired' ? outcome : undefined
}

function receipt(ticket: Ticket, carrierRef: string, verdict: CarrierVerdict): Receipt {
  const reason = REASONS[verdict]
  return { ticket, carrierRef, verdict, ...(reason === undefined ? {} : { reason }) }
}
