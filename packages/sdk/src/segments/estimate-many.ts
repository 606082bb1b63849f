import type { Dedupe, ManyMessage } from '../bulk/bulk-types.ts'
import { readContent } from '../bulk/content.ts'
import { read } from '../bulk/parts.ts'
import type { Client } from '../client.ts'
import type { Estimate, FieldError, Recipient } from '../generated/models.ts'
import type { CallOptions } from '../options.ts'
import { countSegments } from './segments.ts'

/**
 * What a bulk would cost.
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
  /** How many would be refused, by the gateway or for lack of a field. */
  refused: number
  /** The charged segments of all messages. */
  segments: number
}

/**
 * The options of `estimateMany`.
 * @example
 * import { createClient } from '@wigwag/sdk'
 * import { type EstimateManyOptions, estimateMany } from '@wigwag/sdk/segments'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const options: EstimateManyOptions = { calls: 500 }
 * await estimateMany(sms, { From: 'ACME', Content: 'Open at nine' }, [{ To: '233201234567' }], options)
 */
export interface EstimateManyOptions extends Omit<CallOptions, 'idempotencyKey' | 'resend'> {
  /** How many prices to ask for at most; 100 by default. With as many as there are numbers, the result is exact. */
  calls?: number | undefined
  /** As in `sendToMany`. */
  dedupe?: Dedupe | undefined
}

/** Numbers that begin alike. */
interface Group {
  /** The first of them, and its text. */
  To: string
  Content: string
  rows: number
  segments: number
}

/** How many prices are asked for at once. */
const concurrency = 4
const micros = 1_000_000

/**
 * Estimates what `sendToMany` would cost, without sending anything. Segments are counted here, row by row, as the
 * gateway charges them; prices are asked for, with a limited number of calls. The list is read once, and memory use
 * doesn't grow with it, except with `dedupe`. Rejects if the message can't be sent at all.
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
  options: EstimateManyOptions = {},
): Promise<ManyEstimate> {
  const { calls = 100, dedupe, ...callOptions } = options
  if (!(Number.isInteger(calls) && calls > 0))
    throw new TypeError(`calls: expected a whole number from 1; got ${calls}.`)
  const { text, render } = readContent(message.Content)
  const estimate: ManyEstimate = {
    exact: true,
    cost: 0,
    currency: undefined,
    recipients: 0,
    refused: 0,
    segments: 0,
  }
  let groups = new Map<string, Group>()
  /** How many digits at the end of the numbers of a group may differ. */
  let free = 0
  for await (const { sent, text: Content = text, fate } of read(rows, render, dedupe)) {
    if (fate?.status === 'skipped') continue
    const { segments } = countSegments(Content)
    if (fate || !isNumber(sent.To) || (render && !isSendable(Content, segments))) {
      estimate.refused++
      continue
    }
    join(groups, sent.To.slice(0, Math.max(0, sent.To.length - free)), {
      To: sent.To,
      Content,
      rows: 1,
      segments,
    })
    for (; groups.size > calls; free++) groups = widened(groups)
  }
  let total = 0
  const price = ({ rows, segments, Content }: Group, one: Estimate | undefined) => {
    if (!one) {
      estimate.refused += rows
      return
    }
    estimate.exact &&= one.Segments === countSegments(Content).segments
    estimate.currency = one.Currency
    estimate.recipients += rows
    estimate.segments += segments
    total += Math.round(one.UnitPrice * micros) * segments
  }
  const queue = groups.values()
  const work = async () => {
    for (const group of queue) {
      const { To, Content } = group
      price(group, await ask(client.estimateCost({ From: message.From, To, Content }, callOptions)))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return { ...estimate, exact: estimate.exact && free === 0, cost: total / micros }
}

/** An estimate; undefined if the number is refused. */
function ask(call: Promise<Estimate>): Promise<Estimate | undefined> {
  return call.catch((error) => {
    // By its shape, since each entry of the package has a copy of the class.
    const fields: readonly FieldError[] = error?.errors ?? []
    if (fields.length === 1 && fields[0]?.pointer === '/To') return undefined
    throw error
  })
}

function join(groups: Map<string, Group>, key: string, more: Group): void {
  const group = groups.get(key)
  if (!group) groups.set(key, more)
  else {
    group.rows += more.rows
    group.segments += more.segments
  }
}

/** The same groups by one digit less. */
function widened(groups: Map<string, Group>): Map<string, Group> {
  const wider = new Map<string, Group>()
  for (const [key, group] of groups) join(wider, key.slice(0, -1), group)
  return wider
}

function isNumber(to: unknown): boolean {
  return typeof to === 'string' && /^[1-9]\d{6,14}$/.test(to)
}

/** The gateway's rules for texts: 1 to 10 segments, no NUL, and no half of a surrogate pair. */
function isSendable(text: string, segments: number): boolean {
  return segments > 0 && segments <= 10 && !/[\0\p{Surrogate}]/u.test(text)
}
