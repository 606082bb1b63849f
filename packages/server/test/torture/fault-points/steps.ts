import type { Value } from '../../../src/store/database.ts'

/** A carrier that can be asked by its references, and one over SMPP that cannot and sends a receipt for each part. */
export type CarrierKind = 'simulator' | 'smpp'

/** A write that a gateway makes, known by one of its statements. */
export interface Write {
  statement: RegExp
  /** Whether these values make it the one that is meant. */
  has?: (values: readonly Value[]) => boolean
  /** Counts only when the statement returns rows. */
  finds?: true
}

export interface Step {
  /** A write and its commit, or what passes between the gateway and others. */
  at: Write | 'submission' | 'receipts' | 'callback' | 'answer'
  /** `during` is after it began and before it is answered. */
  when: 'before' | 'during' | 'after'
  /** The carriers with which a message takes this step, all when left out. The short form takes the first. */
  carriers?: readonly CarrierKind[]
}

const ACCEPT: Write = { statement: /INSERT INTO messages / }
const CANCEL: Write = {
  statement: /UPDATE messages SET .*recipient_key/s,
  has: (values) => values.some(isCancelled),
}
const FINISH: Write = {
  statement: /UPDATE messages SET .*recipient_key/s,
  has: (values) => !values.some(isCancelled),
}
const RELEASE: Write = { statement: /UPDATE messages SET status = 'pending', due_at/, finds: true }
const HAND_OVER: Write = { statement: /UPDATE outbox SET kind = 'await', handed_at = / }
const KEEP_ANSWER: Write = {
  statement: /UPDATE outbox SET kind = v\./,
  has: (values) => values.includes('await'),
}
const NOTE_RECEIPT: Write = { statement: /INSERT INTO carrier_refs AS r \(carrier, ref, verdict/ }
const KEEP_ATTEMPT: Write = { statement: /INSERT INTO callback_attempts/ }

/** A claim of a lane's jobs, which the carriers' lanes have names for. It looks for those that are due first. */
const claim = (kind: string, isCarriers = false): Write => ({
  statement: /FROM outbox\s+WHERE kind = .* AND run_at >= /s,
  has: (values) => values.includes(kind) && (values[values.indexOf(kind) + 1] !== '') === isCarriers,
  finds: true,
})

/** Every step at which a gateway is ended, in the order in which a message takes them. */
export const STEPS: Record<string, Step> = {
  'accepted with its idempotency key, before the commit': { at: ACCEPT, when: 'before' },
  'accepted, and nothing else': { at: ACCEPT, when: 'after' },
  'accepted, before the answer is sent': { at: 'answer', when: 'before' },
  'scheduled message claimed': { at: claim('scheduled'), when: 'after' },
  'scheduled message released, before the commit': { at: RELEASE, when: 'before' },
  'scheduled message released': { at: RELEASE, when: 'after' },
  'claimed to choose a carrier': { at: claim('dispatch'), when: 'after' },
  'claimed by a carrier': { at: claim('dispatch', true), when: 'after' },
  'marked as handed over, before the commit': { at: HAND_OVER, when: 'before' },
  'marked as handed over': { at: HAND_OVER, when: 'after' },
  'about to be submitted': { at: 'submission', when: 'before' },
  'submitted, and not answered': { at: 'submission', when: 'during', carriers: ['smpp'] },
  'submitted and answered, before the answer is taken': { at: 'submission', when: 'after' },
  "the carrier's answer written, before the commit": { at: KEEP_ANSWER, when: 'before' },
  "the carrier's answer written": { at: KEEP_ANSWER, when: 'after' },
  'receipt heard': { at: 'receipts', when: 'before' },
  'receipt for a part written, before the commit': { at: NOTE_RECEIPT, when: 'before', carriers: ['smpp'] },
  'receipt for a part written': { at: NOTE_RECEIPT, when: 'after', carriers: ['smpp'] },
  'final and charged, before the commit': { at: FINISH, when: 'before' },
  'final and charged, before anything else': { at: FINISH, when: 'after' },
  'receipt written, before it is acknowledged': { at: 'receipts', when: 'after' },
  'callback claimed': { at: claim('callback'), when: 'after' },
  'callback about to be posted': { at: 'callback', when: 'before' },
  'callback taken, before that is written': { at: 'callback', when: 'after' },
  "the callback's result written, before the commit": { at: KEEP_ATTEMPT, when: 'before' },
  "the callback's result written": { at: KEEP_ATTEMPT, when: 'after' },
  'cancelled, before the commit': { at: CANCEL, when: 'before' },
  'cancelled, before the answer': { at: CANCEL, when: 'after' },
}

/** The steps that messages take with a carrier. */
export function stepsWith(kind: CarrierKind): string[] {
  return Object.entries(STEPS).flatMap(([name, { carriers }]) =>
    carriers === undefined || carriers.includes(kind) ? [name] : [],
  )
}

/** One statement of PostgreSQL has its rows as JSON. */
function isCancelled(value: Value): boolean {
  return value === 'cancelled' || (typeof value === 'string' && value.includes('"st":"cancelled"'))
}
