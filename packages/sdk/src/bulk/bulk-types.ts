import type { AtOnce } from '../at-once.ts'
import type { BulkSmsMessage, FieldError, Recipient, SendResult } from '../generated/models.ts'
import type { CallOptions } from '../options.ts'

/**
 * A bulk message without its recipients. `Content` may have fields: `{Name}` stands for the `Name` of each row, a text
 * or a number. Write braces as `\\{` and `\\}` in JavaScript. A row without the field, or with an empty text in it, is
 * refused.
 * @example
 * import type { ManyMessage } from '@wigwag/sdk'
 * const message: ManyMessage = { From: 'ACME', Content: 'Dear {Name}, we open at nine.' }
 */
export type ManyMessage = Omit<BulkSmsMessage, 'Recipients'> & AtOnce

/**
 * The outcome of one recipient, at `index` in your list.
 *
 * - `accepted`: the message is on its way; `result` has its ticket.
 * - `refused`: no message went out, for the reason in `error`; `field` is set if only this recipient was refused. Pointers
 *   such as `/Recipients/3/To` count in your list.
 * - `uncertain`: a message may have gone out. Resume to find out.
 * - `skipped`: the run that this one resumes has already handled the recipient, or `dedupe` left it out. `ticket` is that of
 *   the message that the earlier run sent.
 * @example
 * import type { ManyOutcome } from '@wigwag/sdk'
 * const ticketOf = (outcome: ManyOutcome) => (outcome.status === 'accepted' ? outcome.result.Ticket : undefined)
 */
export type ManyOutcome<Row extends Recipient = Recipient> = { index: number; recipient: Row } & Outcome

/**
 * The outcome of a recipient, without the recipient.
 * @example
 * import type { Outcome } from '@wigwag/sdk'
 * const reasonOf = (outcome: Outcome) => ('error' in outcome ? outcome.error : undefined)
 */
export type Outcome =
  | { status: 'accepted'; result: SendResult }
  | { status: 'refused'; error: unknown; field?: FieldError }
  | { status: 'uncertain'; error: unknown }
  | { status: 'skipped'; ticket?: string }

/**
 * The state of a run, as plain JSON. Store it at every `onProgress`, to resume after a crash. With the tickets it has about
 * 37 bytes for each recipient; if `collect` is false it has none, and a few kilobytes are enough for a million.
 * @example
 * import { createClient, type ManyCheckpoint } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const resume: ManyCheckpoint = JSON.parse('{"version":1,"key":"news-7","parts":[]}')
 * await sms.sendToMany({ From: 'ACME', Content: 'Open at nine' }, [{ To: '233201234567' }], { resume })
 */
export interface ManyCheckpoint {
  /** The format. */
  version: number
  /** The prefix of the idempotency keys, which the gateway keeps for 24 hours. */
  key: string
  /** A digest of the message. */
  message: number
  partSize: number
  /** The parts begun so far. Null for a part of which nothing was sent. */
  parts: (ManyPart | null)[]
}

/**
 * A part of the list in a checkpoint.
 * @example
 * import type { ManyCheckpoint, ManyPart } from '@wigwag/sdk'
 * const isDone = (part: ManyPart | null) => part?.done === true
 * const isComplete = ({ parts }: ManyCheckpoint) => parts.every(isDone)
 */
export interface ManyPart {
  /** When it was begun; null while nothing of it may be under way. */
  at: number | null
  /** A digest of its recipients, of 53 bits: it notices a list that differs by accident. */
  digest: number
  done: boolean
  /** How many of its requests were answered. */
  round?: number
  /** The recipients that are not asked for again, by their index in the list. */
  settled?: number[]
  /**
   * The ticket of each recipient of the part, in the order of the list with a space between; empty where there is none.
   * Absent if `collect` is false.
   */
  tickets?: string
}

/**
 * How to treat a number that was in the list before: `refuse` it, or `skip` it silently.
 * @example
 * import { createClient, type Dedupe } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const dedupe: Dedupe = 'skip'
 * await sms.sendToMany({ From: 'ACME', Content: 'Open at nine' }, [{ To: '233201234567' }], { dedupe })
 */
export type Dedupe = 'refuse' | 'skip'

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
  /** The outcomes since the last call, in the order in which they became known. */
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
  /** All outcomes, in the order of your list; empty if `collect` is false. */
  outcomes: ManyOutcome<Row>[]
  /** The error that stopped the run before the end of the list. */
  error: unknown
}

/**
 * The options of `sendToMany`. The idempotency keys of its requests are made from `idempotencyKey`, and the gateway keeps
 * them for 24 hours: a run with the same key sends again after that.
 * @example
 * import { createClient, type ManyOptions } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const options: ManyOptions = { concurrency: 2, onProgress: ({ accepted }) => console.log(accepted) }
 * await sms.sendToMany({ From: 'ACME', Content: 'Open at nine' }, [{ To: '233201234567' }], options)
 */
export interface ManyOptions<Row extends Recipient = Recipient> extends CallOptions {
  /** How many requests may be under way at once; 4 by default. */
  concurrency?: number | undefined
  /**
   * The number of recipients per part, at most 10,000. By default that of the run to resume, otherwise 10,000, or 100
   * if `Content` has fields. A part is one request for every text in it, one after the other.
   */
  partSize?: number | undefined
  /**
   * Stops the run when it aborts: requests under way are waited for, and no other is sent. Its reason is the `error` of the
   * report. `signal` ends the requests under way too, and then some recipients may be uncertain.
   */
  stop?: AbortSignal | undefined
  /**
   * Called before and after every part. A part goes out only once the promise that you return is fulfilled; one that is
   * rejected stops the run, as `stop` does.
   */
  onProgress?: ((progress: ManyProgress<Row>) => unknown) | undefined
  /**
   * The checkpoint of an earlier run with the same message, list and `dedupe`. As much of the list as the earlier run
   * had begun is read and compared before anything is sent; if it differs, the call rejects and nothing is sent.
   */
  resume?: ManyCheckpoint | undefined
  /**
   * How to treat a number that comes again; sends again by default. Needs memory for every number of the
   * list.
   */
  dedupe?: Dedupe | undefined
  /**
   * Whether the report lists every outcome, and the checkpoint every ticket; true by default. With false, memory use does
   * not grow with the list.
   */
  collect?: boolean | undefined
}
