import {
  type ClientOptions,
  createClient,
  type FetchInit,
  type ManyCheckpoint,
  type Recipient,
} from '../src/index.ts'
import { credentials, testClock } from './fault-server.ts'

/** A fault of one request: it is lost before or after it is taken, or gets an error as its answer. */
export type Fault =
  | 'lost before'
  | 'lost after'
  | { status: number; code: string; errors?: unknown[] }
  | undefined

interface Body {
  From: string
  Content: string
  Recipients: Recipient[]
}

/** A gateway in memory that takes bulks as the real one does: all or nothing, and each key once. */
export class BulkGateway {
  /** The recipient of every message that went out. A recipient that is here twice was charged for twice. */
  readonly out: string[] = []
  /** The requests that arrived. */
  readonly requests: { key: string; bytes: number; text: string; recipients: string[] }[] = []
  /** Numbers that are refused. */
  readonly invalid = new Set<string>()
  /** Faults of the next requests, in order. */
  faults: Fault[] = []
  atOnce = 0
  mostAtOnce = 0
  private readonly stored = new Map<string, { body: string; answer: string }>()

  readonly fetch = async (url: string, init: FetchInit): Promise<Response> => {
    const request = new Request(url, init)
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce)
    try {
      const body = await request.text()
      await new Promise((resolve) => setTimeout(resolve, 1))
      return this.answer(request.headers.get('idempotency-key') ?? '', body)
    } finally {
      this.atOnce--
    }
  }

  private answer(key: string, body: string): Response {
    const fault = this.faults.shift()
    if (fault === 'lost before') throw new TypeError('fetch failed')
    const { Content, Recipients }: Body = JSON.parse(body)
    const recipients = Recipients.map(({ To }) => To)
    this.requests.push({ key, bytes: Buffer.byteLength(body), text: Content, recipients })
    if (typeof fault === 'object') return Response.json(fault, { status: fault.status })
    const response = this.take(key, body, Recipients)
    if (fault === 'lost after') throw new TypeError('fetch failed')
    return response
  }

  private take(key: string, body: string, recipients: Recipient[]): Response {
    const stored = this.stored.get(key)
    if (stored && stored.body !== body)
      return Response.json({ code: 'idempotency_key_reused' }, { status: 422 })
    if (stored) return new Response(stored.answer)
    const errors = recipients.flatMap(({ To }, at) =>
      this.invalid.has(To)
        ? [{ pointer: `/Recipients/${at}/To`, code: 'invalid_recipient', detail: `Not ${To}.` }]
        : [],
    )
    if (errors.length) return Response.json({ code: 'invalid_recipient', errors }, { status: 422 })
    this.out.push(...recipients.map(({ To }) => To))
    const results = recipients.map(({ To, Reference = '' }) => ({
      Cost: 0,
      Destination: To,
      Id: `ticket-${To}`,
      Ticket: `ticket-${To}`,
      ClientReference: Reference,
      Status: 'pending',
    }))
    const answer = JSON.stringify(results)
    this.stored.set(key, { body, answer })
    return new Response(answer)
  }

  /** Forgets the keys, as the real one does after 24 hours. */
  forget(): void {
    this.stored.clear()
  }
}

export const message = { From: 'ACME', Content: 'Open at nine', CallbackUrl: 'https://shop.test/callbacks' }
export const list = (length: number) =>
  Array.from({ length }, (_, at) => ({ To: String(233200000000 + at), Reference: `c${at}` }))
export const numbers = (rows: Recipient[]) => rows.map(({ To }) => To)

/** A client of a gateway in memory, whose clock the test moves. */
export function start(options: Partial<ClientOptions> = {}) {
  const gateway = new BulkGateway()
  const clock = testClock()
  const { fetch } = gateway
  const sms = createClient({
    ...credentials,
    baseUrl: 'https://gateway.test',
    fetch,
    clock,
    ...options,
  } as ClientOptions)
  return { gateway, clock, sms }
}

/** A checkpoint as it is after it was written to a disk and read again. */
export const stored = (checkpoint: ManyCheckpoint): ManyCheckpoint => JSON.parse(JSON.stringify(checkpoint))
