import type { IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import type {
  CarrierEvents,
  Receipt,
  ReceiptRequest,
  Submission,
  SubmitOutcome,
} from '../../../src/delivery/carrier.ts'
import { HttpCarrier } from '../../../src/delivery/carriers/http/carrier.ts'
import { epochMs, type Ticket } from '../../../src/kernel/ids.ts'
import { type Clock, systemClock } from '../../../src/kernel/process/clock.ts'
import type { Outbound } from '../../../src/net/outbound/port.ts'
import { openOutbound, startReceiver } from '../../platform/outbound/receiver.ts'
import { planOf, TEMPLATE } from '../plan/plans.ts'

export const TICKET = '0198c5a2-7e1f-7abc-8def-0123456789ab' as Ticket
export const RECEIPTS_URL = 'https://sms.example/carriers/south/a-secret'

export const submission = (changes: Partial<Submission> = {}): Submission => ({
  ticket: TICKET,
  sender: 'Ama & Co',
  recipient: '233241234567',
  content: 'Grüße 😀 & "more"\r\n+',
  encoding: 'UCS-2' as const,
  expiresAt: epochMs(Date.now() + 3_600_500),
  reference: 0,
  taken: [],
  ...changes,
})

export interface SeenRequest {
  method: string | undefined
  url: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

export interface GivenReply {
  status?: number
  headers?: Record<string, string>
  /** A value that is no text is sent as JSON. */
  body?: unknown
}

export interface Provider {
  url: string
  seen: SeenRequest[]
  /** Makes the answer; undefined leaves the request unanswered. */
  reply: (request: SeenRequest) => GivenReply | undefined | Promise<GivenReply>
}

/** A real HTTP server in the place of a provider. */
export async function startProvider(reply: GivenReply = { body: { id: 'ref-1' } }): Promise<Provider> {
  const provider: Provider = { url: '', seen: [], reply: () => reply }
  const receiver = await startReceiver(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url, headers } = request
    const seen = { method, url, headers, body: Buffer.concat(chunks).toString() }
    provider.seen.push(seen)
    const given = await provider.reply(seen)
    if (given === undefined) return
    const body = typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? {})
    response.writeHead(given.status ?? 200, given.headers).end(body)
  })
  provider.url = receiver.url.slice(0, -1)
  return provider
}

export interface Told {
  receipts: Receipt[]
  late: { ticket: Ticket; outcome: SubmitOutcome }[]
  faults: unknown[]
  changes: number
  /** How receipts are taken. */
  take: () => Promise<void>
}

export interface OpenOptions {
  template?: unknown
  /** The path of a template that exists. */
  templateFile?: string
  user?: string
  settings?: Record<string, unknown>
  clock?: Clock
  /** Stands between the carrier and its requests. */
  outbound?: (request: Outbound) => Outbound
}

/** A started carrier at a provider, made from a file as an operator would write it, and what it told the gateway. */
export function openCarrier(url: string, options: OpenOptions = {}): { carrier: HttpCarrier; told: Told } {
  const {
    template = TEMPLATE,
    templateFile = 'south.json',
    user = '',
    settings = {},
    clock = systemClock,
    outbound = (request) => request,
  } = options
  const south = {
    url: user === '' ? url : url.replace('//', `//${user}@`),
    template: templateFile,
    passwordEnv: 'SOUTH_TOKEN',
    receiptsSecretEnv: 'SOUTH_RECEIPTS',
    ...settings,
  }
  const file = { carriers: { south }, routes: [{ carriers: [{ name: 'south' }] }] }
  const made = planOf({ 'carriers.json': file, 'south.json': template }).carriers.get('south')
  if (made?.kind !== 'http') throw new Error('expected an HTTP carrier')
  const { request } = openOutbound()
  const carrier = new HttpCarrier(made, {
    outbound: outbound(request),
    clock,
    receiptsUrl: () => RECEIPTS_URL,
  })
  const told: Told = { receipts: [], late: [], faults: [], changes: 0, take: async () => {} }
  const events: CarrierEvents = {
    async onReceipts(receipts) {
      await told.take()
      told.receipts.push(...receipts)
    },
    onLateAnswer: (ticket, outcome) => told.late.push({ ticket, outcome }),
    onChange: () => {
      told.changes += 1
    },
    onFault: (error) => told.faults.push(error),
  }
  carrier.start(events)
  onTestFinished(() => carrier.close(0))
  return { carrier, told }
}

/** A request with receipts, as a provider would post it. */
export function receiptRequest(body: unknown, changes: Partial<ReceiptRequest> = {}): ReceiptRequest {
  const isForm = body instanceof URLSearchParams
  const text = typeof body === 'string' || isForm ? String(body) : JSON.stringify(body)
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  return {
    method: 'POST',
    query: '',
    headers: new Headers({ 'content-type': type }),
    body: new TextEncoder().encode(text),
    ...changes,
  }
}
