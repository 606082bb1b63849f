import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Answer, answerOf, type McpRules, mcpRules } from './plain-mcp.ts'

type Json = Record<string, unknown>
export type Operation = 'single' | 'bulk' | 'status' | 'balance'

export const credentials = { clientId: 'plain', clientSecret: 'plain-secret', walletToken: 'plain-wallet' }
export const TO = ['233241234567', '233201234567']
const PRICE = 0.05

/**
 * The server's behaviour, a line for each sentence of the specification. A test replaces one to plant a
 * fault.
 */
export const rules = {
  ...mcpRules,
  successStatus: (_: Operation) => 200,
  needsBasic: (_: Operation) => true,
  checksSecret: (_: Operation) => true,
  needsWallet: (operation: Operation): boolean => operation !== 'status',
  checksToken: (_: Operation) => true,
  required: (operation: Operation, _: Json): readonly string[] =>
    operation === 'bulk' ? ['From', 'Content', 'Recipients'] : ['From', 'To', 'Content'],
  callbackUrl: (body: Json, _: unknown): unknown => body.CallbackUrl ?? body.callbackUrl,
  ticket: () => randomUUID() as string,
  balance: (answer: Json): unknown => answer,
  result: (answer: Json): unknown => answer,
  results: (answer: Json[]): unknown => answer,
  record: (answer: Json): unknown => answer,
  unknownTicket: { status: 404, json: 'no such thing' } as Answer,
  payload: (body: Json): unknown => body,
  callbackMethod: 'POST',
  openapi: (document: Json): unknown => document,
  postman: (document: Json): unknown => document,
  /** Answers a path instead of the server. */
  instead: (_: string, __: ServerResponse) => false,
}
export type Rules = typeof rules & McpRules

export interface PlainServer {
  url: string
  /** The requests that were taken as messages. */
  messages(): number
  close(): void
}

/** A server with what the specification says, and nothing more: bare errors, no signatures, no extensions. */
export async function openPlainServer(changes: Partial<Rules> = {}): Promise<PlainServer> {
  const does: Rules = { ...rules, ...changes }
  const records = new Map<string, Json>()
  /** Ends the messages that nobody has asked about yet. */
  const pending: (() => void)[] = []
  let balance = 10

  function accept(body: Json, to: unknown, reference: unknown): Json {
    const ticket = does.ticket()
    const DateCreated = new Date().toISOString()
    const record: Json = {
      Type: 'SMS',
      MessageId: ticket,
      Status: 'pending',
      Content: body.Content,
      To: to,
      From: body.From,
      Reference: reference ?? '',
      Cost: 0,
      DateCreated,
      EffectedAt: DateCreated,
      BalanceBefore: balance,
      BalanceAfter: balance,
    }
    records.set(ticket, record)
    pending.push(() => finish(ticket, record, does.callbackUrl(body, reference)))
    const result = { Cost: 0, Destination: to, Id: ticket, Ticket: ticket, ClientReference: reference ?? '' }
    return { ...result, Status: 'pending' }
  }

  function endAll(): void {
    for (const end of pending.splice(0)) end()
  }

  function finish(Ticket: string, record: Json, url: unknown): void {
    const BalanceBefore = balance
    balance -= PRICE
    const charged = { Cost: PRICE, BalanceBefore, BalanceAfter: balance, Status: 'success' }
    Object.assign(record, charged, { EffectedAt: new Date().toISOString() })
    if (typeof url !== 'string') return
    const body = does.payload({
      ClientReference: record.Reference,
      Ticket,
      Destination: record.To,
      ...charged,
    })
    const sent = typeof body === 'string' ? body : JSON.stringify(body)
    fetch(url, { method: does.callbackMethod, body: sent }).catch(() => {})
  }

  function act(operation: Operation, path: string, body: Json): Answer {
    const status = does.successStatus(operation)
    if (operation === 'balance')
      return { status, json: does.balance({ balance, currency: 'XTS', asOf: '2026-01-31T10:00:00.123456Z' }) }
    if (operation === 'status') {
      const record = records.get(path.split('/')[3] ?? '')
      // A message is pending when it is first asked about, and final after that.
      setImmediate(endAll)
      return record ? { status, json: does.record({ ...record }) } : does.unknownTicket
    }
    if (does.required(operation, body).some((name) => body[name] === undefined))
      return { status: 400, json: ['bad'] }
    if (operation === 'single') {
      const made = accept(body, body.To, body.Reference)
      const { Ticket } = made
      const json = does.result(made)
      // With another ticket, nobody asks about this message.
      if (typeof json === 'object' && json !== null && Reflect.get(json, 'Ticket') !== Ticket)
        setImmediate(endAll)
      return { status, json }
    }
    const recipients = (body.Recipients ?? []) as { To: string; Reference: string }[]
    return { status, json: does.results(recipients.map(({ To, Reference }) => accept(body, To, Reference))) }
  }

  function mayNot(operation: Operation, headers: IncomingMessage['headers']): boolean {
    const { authorization, 'x-wallet': wallet } = headers
    const { clientId, clientSecret, walletToken } = credentials
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    if (
      authorization === undefined
        ? does.needsBasic(operation)
        : does.checksSecret(operation) && authorization !== basic
    )
      return true
    if (wallet === undefined) return does.needsWallet(operation)
    return operation !== 'status' && does.checksToken(operation) && wallet !== `Token ${walletToken}`
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { url = '', method, headers } = request
    const body = await text(request)
    if (url === '/openapi.json') return { status: 200, json: does.openapi(openapi) }
    if (url === '/postman.json') return { status: 200, json: does.postman(postman) }
    const connector = answerOf(does, { url, method, headers, body, base: `http://${headers.host}` })
    if (connector) return connector
    const found = PATHS.find(([wanted, path]) => wanted === method && path.test(url))
    if (!found) return { status: 404, json: 'nothing' }
    return mayNot(found[2], headers)
      ? { status: 401, json: 'no' }
      : act(found[2], url, body === '' ? {} : JSON.parse(body))
  }

  const server = createServer(async (request, response) => {
    if (does.instead(request.url ?? '', response)) return
    const { status, json, headers } = await answer(request)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(json === undefined ? '' : JSON.stringify(json))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages: () => records.size,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const PATHS: readonly [string, RegExp, Operation][] = [
  ['POST', /^\/v1\/messages\/sms$/, 'single'],
  ['POST', /^\/v1\/messages\/sms\/bulk\/otm$/, 'bulk'],
  ['GET', /^\/v1\/transactions\/[^/]+\/status$/, 'status'],
  ['GET', /^\/v1\/account\/balance$/, 'balance'],
]

const openapi = {
  openapi: '3.0.1',
  info: { title: 'Plain', version: '2.0.4' },
  paths: {
    '/v1/messages/sms': { post: {} },
    '/v1/messages/sms/bulk/otm': { post: {} },
    '/v1/transactions/{ticket}/status': { get: {} },
    '/v1/account/balance': { get: {} },
  },
}

const item = (method: string, url: string) => ({ name: url, request: { method, url } })
const postman = {
  info: { name: 'Plain', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  variable: ['baseUrl', 'clientid', 'clientsecret', 'token', 'from', 'to'].map((key) => ({ key, value: '' })),
  item: [
    item('POST', '{{baseUrl}}/v1/messages/sms'),
    { name: 'more', item: [item('POST', '{{baseUrl}}/v1/messages/sms/bulk/otm')] },
    item('GET', '{{baseUrl}}/v1/transactions/{{ticket}}/status'),
    item('GET', '{{baseUrl}}/v1/account/balance'),
  ],
}
