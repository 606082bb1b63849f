import type {
  Carrier,
  CarrierEvents,
  QueryOutcome,
  Receipt,
  Submission,
  SubmitOutcome,
} from '../../src/delivery/carrier.ts'
import type { Ticket } from '../../src/domain/ids.ts'

/** A carrier that does as it is told, and notes what it was asked. */
export interface ScriptedCarrier extends Carrier {
  unanswered: Carrier['unanswered']
  receipts: Carrier['receipts']
  onSubmit: (message: Submission) => SubmitOutcome | Promise<SubmitOutcome>
  onQuery: (ticket: Ticket, ref: string | undefined) => QueryOutcome | Promise<QueryOutcome>
  submitted: Ticket[]
  asked: { ticket: Ticket; ref: string | undefined }[]
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

export function createScriptedCarrier(
  name: string,
  { knowsTickets, canBeAsked }: { knowsTickets: boolean; canBeAsked: boolean },
): ScriptedCarrier {
  let events: CarrierEvents | undefined
  const carrier: ScriptedCarrier = {
    name,
    knowsTickets,
    receipts: 'each',
    unanswered: 'hold',
    receiptExpectedMs: 2_000,
    onSubmit: ({ ticket }) => accepted(`ref-${ticket}`),
    onQuery: () => ({ kind: 'unknown' }),
    submitted: [],
    asked: [],
    takes: 1_000,
    room: () => (carrier.takes === 'away' ? 0 : carrier.takes),
    state: () => ({
      kind: carrier.takes === 'away' ? 'away' : 'up',
      ...{ reason: '', inWindow: 0, rests: 0, unreadable: 0, inbound: 0 },
    }),
    async submit(message) {
      carrier.submitted.push(message.ticket)
      return carrier.onSubmit(message)
    },
    query: canBeAsked
      ? async ({ ticket, ref }) => {
          carrier.asked.push({ ticket, ref })
          return carrier.onQuery(ticket, ref)
        }
      : undefined,
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
