import type { CallOptions } from '../options.ts'
import type { BulkSmsMessage, FieldError, Recipient, SendResult } from '../types.ts'

/**
 * A bulk message without its recipients.
 * @example
 * import type { ManyMessage } from '@wigwag/sdk'
 * const message: ManyMessage = { From: 'ACME', Content: 'Open at nine' }
 */
export type ManyMessage = Omit<BulkSmsMessage, 'Recipients'>

/**
 * The outcome of one recipient, at `index` in your list.
 *
 * - `accepted`: the message is on its way; `result` has its ticket.
 * - `refused`: no message went out, for the reason in `error`; `field` is set if only this recipient was refused.
 * - `uncertain`: a message may have gone out. Resume to find out.
 * - `skipped`: the run that this one resumes has already handled the recipient.
 * @example
 * import type { ManyOutcome } from '@wigwag/sdk'
 * const ticketOf = (outcome: ManyOutcome) => (outcome.status === 'accepted' ? outcome.result.Ticket : undefined)
 */
export type ManyOutcome<Row extends Recipient = Recipient> = { index: number; recipient: Row } & Fate

/** The outcome of a recipient. */
export type Fate =
  | { status: 'accepted'; result: SendResult }
  | { status: 'refused'; error: unknown; field?: FieldError }
  | { status: 'uncertain'; error: unknown }
  | { status: 'skipped' }

/**
 * The state of a run, as plain JSON. Store it at every `onProgress`, to resume after a crash.
 * @example
 * import { createClient, type ManyCheckpoint } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const resume: ManyCheckpoint = JSON.parse('{"key":"news-7","parts":[]}')
 * await sms.sendToMany({ From: 'ACME', Content: 'Open at nine' }, [{ To: '233201234567' }], { resume })
 */
export interface ManyCheckpoint {
  /** The prefix of the parts' idempotency keys. */
  key: string
  /** The parts begun so far: when, a digest of the content, and whether it is done. Null for a refused part. */
  parts: ({ at: number; digest: number; done: boolean } | null)[]
}

/**
 * The number of recipients with each outcome so far.
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
 * The result of a run. If `error` is undefined the run is complete; otherwise the rest of the list was not sent.
 * @example
 * import type { ManyReport } from '@wigwag/sdk'
 * const isComplete = (report: ManyReport) => report.error === undefined && report.uncertain === 0
 */
export interface ManyReport<Row extends Recipient = Recipient> extends ManyProgress<Row> {
  /** All outcomes, in the order in which they became known; empty if `collect` is false. */
  outcomes: ManyOutcome<Row>[]
  /** What stopped the run before the end of the list. */
  error: unknown
}

/**
 * The options of `sendToMany`. The parts' idempotency keys are made from `idempotencyKey`.
 * @example
 * import { createClient, type ManyOptions } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const options: ManyOptions = { concurrency: 2, onProgress: ({ accepted }) => console.log(accepted) }
 * await sms.sendToMany({ From: 'ACME', Content: 'Open at nine' }, [{ To: '233201234567' }], options)
 */
export interface ManyOptions<Row extends Recipient = Recipient> extends CallOptions {
  /** How many parts may be under way at once; 4 by default. */
  concurrency?: number | undefined
  /** The number of recipients per part; 10,000 by default, which is the maximum. */
  partSize?: number | undefined
  /** Called before and after every part. A part goes out only once the promise that you return is fulfilled. */
  onProgress?: ((progress: ManyProgress<Row>) => unknown) | undefined
  /** The checkpoint of an earlier run with the same message and list. */
  resume?: ManyCheckpoint | undefined
  /** Whether the report lists every outcome; true by default. With false, memory use does not grow with the list. */
  collect?: boolean | undefined
}
