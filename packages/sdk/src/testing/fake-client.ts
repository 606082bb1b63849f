import {
  type CallbackPayload,
  type Client,
  createClient,
  type KnownStatus,
  TimeoutError,
  type Transaction,
} from '@wigwag/sdk'
import { systemClock } from '../clock.ts'
import { type OperationId, type Output, places } from '../operations.ts'
import { createFakeGateway, type FakeInput, type FakeProblem, Refusal } from './fake-gateway.ts'

/**
 * How a call fails: with an error that the gateway answers, without a connection, with one that was lost after the
 * request left, or by a time-out.
 * @example
 * import { createFakeClient, type FakeFailure } from '@wigwag/sdk/testing'
 * const noMoney: FakeFailure = { status: 402, code: 'insufficient_funds' }
 * createFakeClient().fail('sendSms', noMoney)
 */
export type FakeFailure = FakeProblem | 'no connection' | 'connection lost' | 'timeout'

/**
 * A call that the fake has answered.
 * @example
 * import { createFakeClient, type FakeCall } from '@wigwag/sdk/testing'
 * const sms = createFakeClient()
 * await sms.getBalance()
 * const [call]: FakeCall[] = sms.calls
 * console.log(call?.operation)
 */
export type FakeCall = {
  [Id in OperationId]: FakeInput<Id> & { operation: Id; idempotencyKey: string | undefined }
}[OperationId]

/**
 * The options of `createFakeClient`.
 * @example
 * import { createFakeClient, type FakeOptions } from '@wigwag/sdk/testing'
 * const options: FakeOptions = { outcome: 'success' }
 * const sms = createFakeClient(options)
 * const { Ticket } = await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Hello' })
 * console.log((await sms.waitForFinal(Ticket)).Status)
 */
export interface FakeOptions {
  /** The status of every message as soon as it is asked for. Without it, messages stay `pending` until you end them. */
  outcome?: KnownStatus | undefined
  /** The sender of messages that name none. */
  from?: string | undefined
  /** Replaces the machine's time, in milliseconds since 1970. */
  now?: (() => number) | undefined
}

/**
 * A client without a gateway, and what a test does with it.
 * @example
 * import { createFakeClient, type FakeClient } from '@wigwag/sdk/testing'
 * const sms: FakeClient = createFakeClient()
 * sms.answer('getBalance', { balance: 3, currency: 'GHS', asOf: '2026-11-20T09:31:00.000Z' })
 * console.log((await sms.getBalance()).balance)
 */
export interface FakeClient extends Client {
  /** Every request so far, in order. */
  calls: FakeCall[]
  /** Every message so far, in order, with its current status. */
  messages: Transaction[]
  /** Delivers a message, and returns what its callback says. */
  deliver(ticket: string): CallbackPayload
  /** Gives a message another final status, such as `failed`. */
  end(ticket: string, status: KnownStatus): CallbackPayload
  /** Answers the next call of an operation, or the next `times`. Give a function to look at the input. */
  answer<Id extends OperationId>(
    operation: Id,
    output: Output<Id> | ((input: FakeInput<Id>) => Output<Id>),
    times?: number,
  ): void
  /** Makes the next call of an operation fail, or the next `times`, with the error that the real client would throw. */
  fail(operation: OperationId, failure: FakeFailure, times?: number): void
}

/** A scripted answer for the next calls of an operation. */
interface Script {
  left: number
  run(input: never): unknown
}

/**
 * Creates a client for tests, with no gateway behind it. It keeps what is sent, gives tickets, honours idempotency keys
 * and accepts every message; `@wigwag/server/testing` has a whole gateway with its rules. Requests are not repeated.
 * @example
 * import { createFakeClient } from '@wigwag/sdk/testing'
 * const sms = createFakeClient()
 * const { Ticket } = await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Hello' })
 * sms.deliver(Ticket)
 * console.log((await sms.waitForFinal(Ticket)).Status, sms.messages[0]?.Content)
 * sms.fail('sendSms', { status: 402, code: 'insufficient_funds' })
 */
export function createFakeClient({ outcome, from, now = systemClock.now }: FakeOptions = {}): FakeClient {
  const { answers, messages, end } = createFakeGateway(now, outcome)
  const calls: FakeCall[] = []
  const scripts = new Map<OperationId, Script[]>()
  const repeated = new Map<string, { body: string; output: unknown }>()
  const sleepers = new Set<() => void>()

  function script(operation: OperationId, run: Script['run'], left = 1): void {
    scripts.set(operation, [...(scripts.get(operation) ?? []), { left, run }])
  }

  /** The scripted answer for this call, or the fake's own. */
  function nextOf(operation: OperationId): Script['run'] {
    const [next, ...later] = scripts.get(operation) ?? []
    if (!next) return answers[operation]
    if (--next.left < 1) scripts.set(operation, later)
    return next.run
  }

  async function respond(input: string | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    const { pathname, searchParams } = new URL(request.url)
    const { operation, path } = placeOf(request.method, pathname)
    const body = await request.text()
    const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
    const query: Record<string, unknown> = Object.fromEntries(searchParams)
    if (query.Limit) query.Limit = Number(query.Limit)
    // The types can't follow an input through HTTP; it is what this operation's method sent.
    const call = { operation, path, query, body: body ? JSON.parse(body) : undefined, idempotencyKey }
    calls.push(call as FakeCall)
    const earlier = idempotencyKey && repeated.get(idempotencyKey)
    if (earlier && earlier.body !== body) return refuse({ status: 422, code: 'idempotency_key_reused' })
    if (earlier) return Response.json(earlier.output)
    try {
      const output = nextOf(operation)(call as never)
      if (idempotencyKey) repeated.set(idempotencyKey, { body, output: structuredClone(output) })
      return Response.json(output)
    } catch (error) {
      if (error instanceof Refusal) return refuse(error.problem)
      throw error
    }
  }

  function failure(operation: OperationId, how: FakeFailure, idempotencyKey: string | undefined): Error {
    if (how === 'no connection') {
      return new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
    }
    if (how === 'connection lost') return new TypeError('fetch failed')
    if (how !== 'timeout') return new Refusal(how)
    return new TimeoutError('no answer in time', { operation, idempotencyKey, attempts: 1, uncertain: true })
  }

  /** Pauses end when a message does, so that no test waits for the next poll. */
  async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const pause = new AbortController()
    const wake = () => pause.abort()
    sleepers.add(wake)
    signal?.addEventListener('abort', wake)
    await systemClock.sleep(milliseconds, pause.signal).catch(() => {})
    signal?.removeEventListener('abort', wake)
    sleepers.delete(wake)
    signal?.throwIfAborted()
  }

  function endAndWake(ticket: string, status: KnownStatus): CallbackPayload {
    const payload = end(ticket, status)
    for (const wake of sleepers) wake()
    return payload
  }

  const client = createClient({
    baseUrl: 'http://fake.invalid',
    accessToken: 'fake',
    from,
    retries: 0,
    clock: { now, sleep },
    fetch: respond,
  })
  return Object.assign(client, {
    calls,
    messages,
    deliver: (ticket: string) => endAndWake(ticket, 'success'),
    end: endAndWake,
    answer: <Id extends OperationId>(
      operation: Id,
      output: Output<Id> | ((input: FakeInput<Id>) => Output<Id>),
      times?: number,
    ) => script(operation, typeof output === 'function' ? output : () => output, times),
    fail: (operation: OperationId, how: FakeFailure, times?: number) =>
      script(
        operation,
        ({ idempotencyKey }: FakeCall) => {
          throw failure(operation, how, idempotencyKey)
        },
        times,
      ),
  })
}

function refuse({ status, code, detail, errors, retryAfter }: FakeProblem): Response {
  const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  return Response.json({ status, code, detail, errors }, { status, headers })
}

const steps = Object.entries(places).map(([operation, [method, place]]) => ({
  operation: operation as OperationId,
  method,
  pattern: new RegExp(`^${place.replace(/{\w+}/, '([^/]+)')}$`),
}))

/** The operation at an address, and the value in its path. */
function placeOf(method: string, pathname: string): { operation: OperationId; path: string | undefined } {
  for (const step of steps) {
    const found = step.method === method ? step.pattern.exec(pathname) : null
    if (found) return { operation: step.operation, path: found[1] && decodeURIComponent(found[1]) }
  }
  throw new Error(`Expected an operation of the document; got ${method} ${pathname}.`)
}
