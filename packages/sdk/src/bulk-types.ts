import type { CallOptions } from './options.ts'
import type { BulkSmsMessage, FieldError, Recipient, SendResult } from './types.ts'

/**
 * A text for many: a bulk message without its recipients.
 * @example
 * import type { ManyMessage } from '@wigwag/sdk'
 * const message: ManyMessage = { From: 'ACME', Content: 'Open at nine' }
 */
export type ManyMessage = Omit<BulkSmsMessage, 'Recipients'>

/**
 * What became of one recipient, who is at `index` in your list.
 *
 * - `accepted`: the message is on its way; `result` has its ticket.
 * - `refused`: no message went out, for the reason in `error`; `field` when it is this recipient's alone.
 * - `uncertain`: a message may have gone out. Resume to find out.
 * - `skipped`: an earlier run, which this one resumes, dealt with the recipient.
 * @example
 * import type { ManyOutcome } from '@wigwag/sdk'
 * const ticketOf = (outcome: ManyOutcome) => (outcome.status === 'accepted' ? outcome.result.Ticket : undefined)
 */
export type ManyOutcome<Row extends Recipient = Recipient> = { index: number; recipient: Row } & Fate

/** What becomes of a recipient. */
export type Fate =
  | { status: 'accepted'; result: SendResult }
  | { status: 'refused'; error: unknown; field?: FieldError }
  | { status: 'uncertain'; error: unknown }
  | { status: 'skipped' }

/**
 * How far a run has come, as plain JSON. Keep the one of the last `onProgress` to resume after a crash.
 * @example
 * import { createClient, type ManyCheckpoint } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const resume: ManyCheckpoint = JSON.parse('{"key":"news-7","parts":[]}')
 * await sms.sendToMany({ From: 'ACME', Content: 'Open at nine' }, [{ To: '233201234567' }], { resume })
 */
export interface ManyCheckpoint {
  /** What the parts' idempotency keys begin with. */
  key: string
  /** The parts that were begun: when, a digest of what they say, and whether that is done. Null for one that was refused. */
  parts: ({ at: number; digest: number; done: boolean } | null)[]
}

/**
 * How many recipients have which outcome so far.
 * @example
 * import type { ManyProgress } from '@wigwag/sdk'
 * const print = ({ accepted, refused, uncertain }: ManyProgress) => console.log(accepted, refused, uncertain)
 */
export interface ManyProgress<Row extends Recipient = Recipient> {
  accepted: number
  refused: number
  uncertain: number
  skipped: number
  /** The outcomes since the last call. */
  outcomes: ManyOutcome<Row>[]
  checkpoint: ManyCheckpoint
}

/**
 * What became of a run. It is complete when `error` is undefined; else the rest of the list was not sent.
 * @example
 * import type { ManyReport } from '@wigwag/sdk'
 * const isComplete = (report: ManyReport) => report.error === undefined && report.uncertain === 0
 */
export interface ManyReport<Row extends Recipient = Recipient> extends ManyProgress<Row> {
  /** The outcomes of all, in the order in which they were known; empty when you kept them from being collected. */
  outcomes: ManyOutcome<Row>[]
  /** What stopped the run before the end of the list. */
  error: unknown
}

/**
 * How to send to many. The key, here `idempotencyKey`, is what the keys of the parts are made of.
 * @example
 * import { createClient, type ManyOptions } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const options: ManyOptions = { concurrency: 2, onProgress: ({ accepted }) => console.log(accepted) }
 * await sms.sendToMany({ From: 'ACME', Content: 'Open at nine' }, [{ To: '233201234567' }], options)
 */
export interface ManyOptions<Row extends Recipient = Recipient> extends CallOptions {
  /** How many parts may be under way at once; 4 unless given. */
  concurrency?: number | undefined
  /** How many recipients a part has; 10,000 unless given, which is the most. */
  partSize?: number | undefined
  /** Called before and after every part; a part goes out when the promise that you return is fulfilled. */
  onProgress?: ((progress: ManyProgress<Row>) => unknown) | undefined
  /** Where an earlier run got to, with the same message and the same list. */
  resume?: ManyCheckpoint | undefined
  /** Whether the report lists every outcome; true unless given. With false a run takes the same memory for any list. */
  collect?: boolean | undefined
}
