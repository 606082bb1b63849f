import { readContent } from '@wigwag/contract/content'
import { isRecipientNumber, recipientDigits, wrongNumber } from '@wigwag/contract/recipient'
import { type Segmentation, segmentsOf, wrongText } from '@wigwag/contract/segments'
import type { Dedupe, ManyMessage } from '../bulk/bulk-types.ts'
import { type Entry, pointerTo, read } from '../bulk/parts.ts'
import { shown } from '../check.ts'
import type { Client } from '../client.ts'
import type { Estimate, FieldError, Recipient } from '../generated/models.ts'
import type { CallOptions } from '../options.ts'

/**
 * The estimated cost of a bulk.
 * @example
 * import type { ManyEstimate } from '@wigwag/sdk/segments'
 * const inWords = ({ exact, cost, currency }: ManyEstimate) => `${exact ? '' : 'about '}${cost} ${currency}`
 */
export interface ManyEstimate {
  /**
   * True if the gateway was asked for the price of every number. Otherwise it was asked for one of each group of numbers
   * that begin alike, and the others were taken to cost the same.
   */
  exact: boolean
  cost: number
  /** Undefined if no recipient can be sent to. */
  currency: string | undefined
  /** How many recipients the message would go to. */
  recipients: number
  /** How many would be refused, by the gateway or for lack of a field. `onRefused` is told of each. */
  refused: number
  /** The charged segments of all messages. */
  segments: number
}

/**
 * A recipient that would be refused, at `index` in your list, and why.
 * @example
 * import type { ManyRefusal } from '@wigwag/sdk/segments'
 * const inWords = ({ index, field }: ManyRefusal) => `row ${index + 1}: ${field.detail}`
 */
export interface ManyRefusal<Row extends Recipient = Recipient> {
  index: number
  recipient: Row
  field: FieldError
}

/**
 * The options of `estimateMany`.
 * @example
 * import { createClient } from '@wigwag/sdk'
 * import { type EstimateManyOptions, estimateMany } from '@wigwag/sdk/segments'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const options: EstimateManyOptions = { calls: 500, onRefused: ({ index, field }) => console.log(index, field.detail) }
 * await estimateMany(sms, { From: 'ACME', Content: 'Open at nine' }, [{ To: '233201234567' }], options)
 */
export interface EstimateManyOptions<Row extends Recipient = Recipient>
  extends Omit<CallOptions, 'idempotencyKey' | 'resend'> {
  /** How many prices to ask for at most; 100 by default. With as many as there are numbers, the result is exact. */
  calls?: number | undefined
  /** As in `sendToMany`. */
  dedupe?: Dedupe | undefined
  /** Called with each recipient that would be refused, in no order. Needs memory for every row of the list. */
  onRefused?: ((refusal: ManyRefusal<Row>) => void) | undefined
}

/** Numbers that begin alike. */
interface Group<Row> {
  /** The first of them, and its text. */
  To: string
  Content: string
  rows: number
  segments: number
  /** All of them, if it is to be told which are refused. */
  entries: Entry<Row>[]
}

/** How many prices are asked for at once. */
const concurrency = 4
const micros = 1_000_000

/**
 * Estimates what `sendToMany` would cost, without sending anything. Segments are counted here, row by row, as the
 * gateway charges them; prices are asked for, with a limited number of calls. The list is read once, and memory use
 * doesn't grow with it, except with `dedupe` and `onRefused`. Rejects if the message can't be sent at all.
 * @example
 * import { createClient } from '@wigwag/sdk'
 * import { estimateMany } from '@wigwag/sdk/segments'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const customers = [{ To: '233201234567', Name: 'Ama' }]
 * const { cost, exact } = await estimateMany(sms, { From: 'ACME', Content: 'Dear {Name}, we open at nine.' }, customers)
 * console.log(exact ? cost : `about ${cost}`)
 */
export async function estimateMany<Row extends Recipient>(
  client: Pick<Client, 'estimateCost'>,
  message: ManyMessage,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: EstimateManyOptions<Row> = {},
): Promise<ManyEstimate> {
  const { calls = 100, dedupe, onRefused, ...callOptions } = options
  if (!(Number.isInteger(calls) && calls > 0))
    throw new TypeError(`calls: expected a whole number from 1; got ${calls}.`)
  const { text, render } = readContent(message.Content)
  const sender = message.From === undefined ? {} : { From: message.From }
  const estimate: ManyEstimate = {
    exact: true,
    cost: 0,
    currency: undefined,
    recipients: 0,
    refused: 0,
    segments: 0,
  }
  let groups = new Map<string, Group<Row>>()
  /** How many digits at the end of the numbers of a group may differ. */
  let free = 0
  for await (const entry of read(rows, render, dedupe)) {
    const { index, recipient, sent, text: Content = text, outcome } = entry
    if (outcome?.status === 'skipped') continue
    const segmentation = segmentsOf(Content)
    const field =
      outcome?.status === 'refused'
        ? outcome.field
        : (wrongTo(index, sent.To) ?? (render && wrongOwn(Content, segmentation)))
    if (field) {
      estimate.refused++
      onRefused?.({ index, recipient, field })
      continue
    }
    const To = recipientDigits(sent.To)
    join(groups, To.slice(0, Math.max(0, To.length - free)), {
      To,
      Content,
      rows: 1,
      segments: segmentation.segments,
      entries: onRefused ? [entry] : [],
    })
    for (; groups.size > calls; free++) groups = widened(groups)
  }
  let total = 0
  const refuse = ({ To, rows, entries }: Group<Row>, field: FieldError) => {
    estimate.refused += rows
    for (const { index, recipient } of entries) {
      const detail =
        recipientDigits(recipient.To) === To ? field.detail : `Like ${To}, which is refused: ${field.detail}`
      onRefused?.({ index, recipient, field: { ...field, pointer: pointerTo(index, '/To'), detail } })
    }
  }
  const price = ({ rows, segments, Content }: Group<Row>, one: Estimate) => {
    estimate.exact &&= one.Segments === segmentsOf(Content).segments
    estimate.currency = one.Currency
    estimate.recipients += rows
    estimate.segments += segments
    total += Math.round(one.UnitPrice * micros) * segments
  }
  const queue = groups.values()
  const work = async () => {
    for (const group of queue) {
      const { To, Content } = group
      const answer = await ask(client.estimateCost({ ...sender, To, Content }, callOptions))
      if ('pointer' in answer) refuse(group, answer)
      else price(group, answer)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return { ...estimate, exact: estimate.exact && free === 0, cost: total / micros }
}

/** An estimate, or why the number is refused. */
function ask(call: Promise<Estimate>): Promise<Estimate | FieldError> {
  return call.catch((error) => {
    // By its shape, since each entry of the package has a copy of the class.
    const [field, ...others]: readonly FieldError[] = error?.errors ?? []
    if (field?.pointer === '/To' && others.length === 0) return field
    throw error
  })
}

function join<Row>(groups: Map<string, Group<Row>>, key: string, more: Group<Row>): void {
  const group = groups.get(key)
  if (!group) groups.set(key, more)
  else {
    group.rows += more.rows
    group.segments += more.segments
    for (const entry of more.entries) group.entries.push(entry)
  }
}

/** The same groups by one digit less. */
function widened<Row>(groups: Map<string, Group<Row>>): Map<string, Group<Row>> {
  const wider = new Map<string, Group<Row>>()
  for (const [key, group] of groups) join(wider, key.slice(0, -1), group)
  return wider
}

function wrongTo(index: number, to: unknown): FieldError | undefined {
  if (typeof to === 'string' && isRecipientNumber(to)) return undefined
  const detail = typeof to === 'string' ? wrongNumber(to) : `Expected a number as a text; got ${shown(to)}.`
  return { pointer: pointerTo(index, '/To'), code: 'invalid_recipient', detail }
}

/**
 * Checks the text of one row. A text shared by all rows is left to the gateway, which refuses all of them.
 */
function wrongOwn(text: string, segmentation: Segmentation): FieldError | undefined {
  const wrong = wrongText(text, segmentation)
  return wrong && { pointer: '/Content', ...wrong }
}
