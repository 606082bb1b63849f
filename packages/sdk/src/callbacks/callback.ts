import { checkNumber } from '../check.ts'
import { systemClock } from '../clock.ts'
import type { CallbackPayload } from '../generated/models.ts'
import { misfit } from '../shape.ts'
import { CallbackError } from './callback-error.ts'
import {
  BODY_GONE,
  type CallbackSecret,
  concat,
  importKeys,
  isSame,
  longestBody,
  type RawBody,
  sign,
  toBytes,
} from './signature.ts'

/**
 * A callback as it was received: its raw body and headers. A web `Request` can be passed instead.
 * @example
 * import type { RawCallback } from '@wigwag/sdk'
 * const callback: RawCallback = { body: '{}', headers: { 'webhook-id': '1' } }
 */
export interface RawCallback {
  body: RawBody
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
}

/**
 * The options of `verifyCallback`.
 * @example
 * import type { VerifyOptions } from '@wigwag/sdk'
 * const atMidnight: VerifyOptions = { tolerance: 60, now: () => Date.UTC(2026, 10, 20) }
 */
export interface VerifyOptions {
  /** Seconds that the timestamp may lie in the past or the future; 300 by default. */
  tolerance?: number | undefined
  /** Replaces the machine's time, in milliseconds since 1970. */
  now?: (() => number) | undefined
}

/**
 * Checks that a callback was signed with your secret, and recently, and returns its payload.
 * While you replace a secret, pass both.
 * @throws {CallbackError} when it can't be trusted or can't be read
 * @example
 * import { verifyCallback } from '@wigwag/sdk'
 * export async function POST(request: Request) {
 *   const payload = await verifyCallback(request, 'whsec_c2VjcmV0')
 *   console.log(payload.Ticket, payload.Status)
 *   return new Response(null, { status: 204 })
 * }
 */
export async function verifyCallback(
  callback: Request | RawCallback,
  secret: CallbackSecret,
  { tolerance = 300, now = systemClock.now }: VerifyOptions = {},
): Promise<CallbackPayload> {
  checkNumber('tolerance', tolerance, { least: 0 })
  const keys = await importKeys(secret)
  const id = header(callback.headers, 'webhook-id')
  const timestamp = header(callback.headers, 'webhook-timestamp')
  const signatures = header(callback.headers, 'webhook-signature')
  if (!id || !timestamp || !signatures) {
    throw new CallbackError(
      'unsigned',
      'Expected the headers webhook-id, webhook-timestamp and webhook-signature.',
    )
  }
  const age = now() / 1000 - Number(timestamp)
  if (!/^\d+$/.test(timestamp) || !(Math.abs(age) <= tolerance)) {
    throw new CallbackError('old', `Expected a webhook-timestamp within ${tolerance} seconds of now.`)
  }
  const body = await readBody(callback)
  const expected = await Promise.all(keys.map((key) => sign(key, id, timestamp, body)))
  // Every pair is compared, so that the time taken does not reveal which one matched.
  const matches = signatures.split(' ').flatMap((given) => expected.map((own) => isSame(own, given)))
  if (!matches.includes(true))
    throw new CallbackError('forged', 'No webhook-signature was made with this secret.')
  return readPayload(body)
}

/**
 * Reads the payload of a callback without checking who sent it, for a gateway that does not sign callbacks.
 * Anyone who knows your URL can post one, so read the transaction before you act on it.
 * @throws {CallbackError} when it can't be read
 * @example
 * import { createClient, parseCallback } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'https://old.example.com', accessToken: 'token' })
 * export async function POST(request: Request) {
 *   const { Ticket } = await parseCallback(request)
 *   console.log(await sms.getTransactionStatus(Ticket))
 *   return new Response(null, { status: 204 })
 * }
 */
export async function parseCallback(callback: Request | RawCallback | RawBody): Promise<CallbackPayload> {
  const isRaw =
    typeof callback === 'string' || callback instanceof Uint8Array || callback instanceof ArrayBuffer
  return readPayload(isRaw ? toBytes(callback) : await readBody(callback))
}

/** A header's value. Node gives headers as an object, with repeated ones as a list. */
function header(headers: RawCallback['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === 'string' ? value : value?.join(' ')
}

/** Reads a body and stops past the limit: the sender is not verified yet. */
async function readBody(callback: Request | RawCallback): Promise<Uint8Array<ArrayBuffer>> {
  if ('bodyUsed' in callback && callback.bodyUsed) throw new TypeError(BODY_GONE)
  const { body } = callback
  if (!(body instanceof ReadableStream)) return toBytes(body ?? '')
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length
    if (length > longestBody) {
      await reader.cancel()
      throw new CallbackError('unreadable', `Expected a body of at most ${longestBody} bytes.`)
    }
    chunks.push(next.value)
  }
  return concat(chunks)
}

function readPayload(body: Uint8Array): CallbackPayload {
  try {
    const payload: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (isPayload(payload)) return payload
  } catch {}
  throw new CallbackError('unreadable', `Expected a JSON object with ${Object.keys(fields).join(', ')}.`)
}

/** The seven fields of a callback in the specification. A message may have been sent without a reference. */
const fields: CallbackPayload = {
  ClientReference: '',
  Ticket: 't',
  Destination: 'd',
  Cost: 0,
  BalanceBefore: 0,
  BalanceAfter: 0,
  Status: 'success',
}

function isPayload(value: unknown): value is CallbackPayload {
  return misfit(fields, value, 'payload') === undefined
}
