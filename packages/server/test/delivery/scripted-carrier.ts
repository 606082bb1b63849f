import type {
  Carrier,
  CarrierEvents,
  Receipt,
  Submission,
  SubmitOutcome,
} from '../../src/delivery/carrier.ts'
import type { Ticket } from '../../src/kernel/ids.ts'

/** A carrier that does as it is told, and notes what it was asked. */
export interface ScriptedCarrier extends Carrier {
  unanswered: Carrier['unanswered']
  receipts: Carrier['receipts']
  hasNumericIds: boolean
  onSubmit: (message: Submission) => SubmitOutcome | Promise<SubmitOutcome>
  onQuery: (ref: string) => Receipt | undefined | Promise<Receipt | undefined>
  submitted: Ticket[]
  /** The references that it was asked about. */
  asked: string[]
  /** Away, or how many more messages it takes. */
  takes: 'away' | number
  take(receipts: readonly Receipt[]): Promise<void>
  answerLate(ticket: Ticket, outcome: SubmitOutcome): void
  change(): void
}

/** The answer of a carrier that took a message in one part. */
export const accepted = (ref: string): SubmitOutcome => ({
  kind: 'accepted',
  refs: [{ part: 0, ref }],
  parts: 1,
})

export function createScriptedCarrier(name: string): ScriptedCarrier {
  let events: CarrierEvents | undefined
  const carrier: ScriptedCarrier = {
    name,
    receipts: 'each',
    hasNumericIds: false,
    unanswered: 'hold',
    receiptExpectedMs: 2_000,
    onSubmit: ({ ticket }) => accepted(`ref-${ticket}`),
    onQuery: () => undefined,
    submitted: [],
    asked: [],
    takes: 1_000,
    capacity: () => (carrier.takes === 'away' ? 0 : carrier.takes),
    state: () => ({
      kind: carrier.takes === 'away' ? 'away' : 'up',
      reason: '',
      inWindow: 0,
      rests: 0,
      unreadable: 0,
      inbound: 0,
    }),
    async submit(message) {
      carrier.submitted.push(message.ticket)
      return carrier.onSubmit(message)
    },
    async query({ ref }) {
      carrier.asked.push(ref)
      return carrier.onQuery(ref)
    },
    start(given) {
      events = given
    },
    take: (receipts) => Promise.resolve(events?.onReceipts(receipts)),
    answerLate: (ticket, outcome) => events?.onLateAnswer(ticket, outcome),
    change: () => events?.onChange(),
    async close() {},
  }
  return carrier
}
