import { randomBytes } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import { CallbackError, type CallbackPayload, parseCallback, verifyCallback } from '@wigwag/sdk'
import { Command } from 'commander'
import { systemClock } from '../../kernel/process/clock.ts'
import { port, webUrl } from '../arguments.ts'
import { stopSignal } from '../command-process.ts'
import { listenFailure } from '../failure.ts'
import { Columns, Failed, type OutputFlags, print, printJson, say, withJson } from '../terminal.ts'
import { clientSettings } from './gateway-client.ts'

interface ListenFlags extends OutputFlags {
  forwardTo?: string
  host: string
  port: number
}

const SECRET = /^whsec_[A-Za-z0-9+/]+={0,2}$/

export function listenCommand(): Command {
  const command = new Command('listen')
    .description(
      'Receive callbacks here: print a line for each (with --json all of it) and forward it, with the same bytes and headers.',
    )
    .addHelpText('after', HELP)
    .option('--forward-to <url>', 'a program of yours; its answer becomes the answer to the gateway', webUrl)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port; 0 picks a free one', port, 8090)
  return withJson(command).action(listenForCallbacks)
}

const HELP = `
A line has the time, the status, the number, your reference (without one, the
ticket), the cost, and the answer of the program that it was forwarded to:
  12:04:05  success      233241234567  order-1042    0.042  → 200

Signatures are checked when WIGWAG_CALLBACK_SECRET is set: one secret, or during
a rotation two, separated by a space. Callbacks are then taken at any path.
Without it, they are taken at one secret address, which is new at each start and
printed, so that no page in your browser can post there.`

async function listenForCallbacks({ forwardTo, host, port, json }: ListenFlags): Promise<void> {
  const secrets = readSecrets()
  const path = secrets.length === 0 ? `/${randomBytes(16).toString('base64url')}` : undefined
  const server = createServer(receiver({ secrets, path, forwardTo, show: json ? printJson : linePrinter() }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, { host, port }, '--port')))
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const found = typeof address === 'object' && address ? address.port : port
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${found}${path ?? ''}`
  say(`Listening for callbacks of messages whose CallbackUrl (wigwag send --callback-url) is ${url}`)
  if (secrets.length === 0)
    say('WIGWAG_CALLBACK_SECRET is not set: signatures are not checked, and only this address is taken.')
  if (forwardTo) say(`Forwarding them to ${forwardTo}`)
  await stopSignal()
  server.close()
  server.closeAllConnections()
}

function readSecrets(): string[] {
  const secrets = (clientSettings({}).get('WIGWAG_CALLBACK_SECRET') ?? '')
    .split(/[\s,]+/)
    .filter((secret) => secret !== '')
  if (secrets.every((secret) => SECRET.test(secret))) return secrets
  throw new Failed(
    'WIGWAG_CALLBACK_SECRET: expected a secret of the form whsec_<base64>, got something else',
    2,
  )
}

/** A callback that was taken, as `--json` prints it. */
interface Taken {
  receivedAt: string
  /** Its `webhook-id`. */
  id: string | string[] | null
  verified: boolean
  payload: CallbackPayload
  /** The status that the program answered with, or why it did not answer. */
  forwarded?: number | string
}

/** `success` to `undelivered`, most numbers, short references, prices below ten. */
const USUAL_WIDTHS = [8, 11, 12, 12, 5]

/** Prints each callback as an aligned line for a person. */
function linePrinter(): (taken: Taken) => void {
  const columns = new Columns(USUAL_WIDTHS)
  return ({ receivedAt, payload, forwarded }) => {
    const { Status, Destination, ClientReference, Ticket, Cost } = payload
    const time = new Date(receivedAt).toTimeString().slice(0, 8)
    const answer = typeof forwarded === 'number' ? forwarded : 'no answer'
    const cells = [time, Status, Destination, ClientReference || Ticket, Cost]
    print(columns.row(forwarded === undefined ? cells : [...cells, `→ ${answer}`]))
  }
}

interface Forwarded {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Hop-by-hop headers: they apply to one connection only. */
const OF_ONE_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** The headers of an answer that the gateway uses. */
const HANDED_BACK = ['content-type', 'retry-after']
/** Of a callback, and of the answer that is handed back. */
const MOST_BYTES = 65_536
const TIMEOUT_MS = 10_000

/** Posts the same bytes with the same headers, so that a signature stays valid. Returns the answer. */
export function forward(url: string, rawHeaders: readonly string[], body: Buffer): Promise<Forwarded> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', signal: AbortSignal.timeout(TIMEOUT_MS) }, (answer) => {
      const { statusCode: status = 0 } = answer
      const chunks: Buffer[] = []
      let length = 0
      answer.on('data', (chunk: Buffer) => {
        if (length < MOST_BYTES) chunks.push(chunk)
        length += chunk.length
      })
      answer.on('error', reject)
      answer.on('end', () => {
        // No answer can have it, so it can't be handed back.
        if (status < 200) return reject(new Error(`it answered with the status ${status}`))
        const headers = Object.fromEntries(
          HANDED_BACK.flatMap((name) =>
            typeof answer.headers[name] === 'string' ? [[name, answer.headers[name]]] : [],
          ),
        )
        resolve({
          status,
          headers,
          body: Buffer.concat(chunks).subarray(0, MOST_BYTES),
        })
      })
    })
    outgoing.on('error', reject)
    // After an answer that is no answer, such as 101, there is no error either.
    outgoing.on('close', () => reject(new Error('it closed the connection')))
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? ''
      if (!OF_ONE_CONNECTION.has(name.toLowerCase())) outgoing.appendHeader(name, rawHeaders[at + 1] ?? '')
    }
    outgoing.setHeader('content-length', body.length)
    outgoing.end(body)
  })
}

/** Receives callbacks: shows those with a valid signature, forwards them and returns the answer. */
function receiver({
  secrets,
  path,
  forwardTo,
  show,
}: {
  /** The secrets that callbacks are signed with. If empty, signatures are not checked. */
  secrets: readonly string[]
  /** The only path that callbacks are taken at, if any: without a secret, one that a stranger can't guess. */
  path: string | undefined
  /** The URL that callbacks are forwarded to, if any. */
  forwardTo: string | undefined
  show(taken: Taken): void
}): RequestListener {
  async function receive(request: IncomingMessage): Promise<Forwarded> {
    // Any page in a browser of this machine can post here, and read no answer.
    if (path !== undefined && request.url?.split('?')[0] !== path) {
      say('A request was refused: it was not for the address that was printed.')
      return answer(404, 'Expected the address that wigwag listen printed.')
    }
    if (request.method !== 'POST') return answer(405, 'Expected POST.', { allow: 'POST' })
    const body = await readBody(request)
    if (!body) return answer(413, `Expected at most ${MOST_BYTES} bytes.`)
    const payload = await read(request, body)
    if (payload instanceof CallbackError) {
      say(`A callback was refused: ${payload.message}`)
      return answer(payload.status, payload.message)
    }
    const handed = forwardTo && (await handOn(forwardTo, request, body))
    const result = handed ? { forwarded: handed.error ?? handed.answer.status } : {}
    const id = request.headers['webhook-id'] ?? null
    show({
      receivedAt: new Date(systemClock.now()).toISOString(),
      id,
      verified: secrets.length > 0,
      payload,
      ...result,
    })
    return handed ? handed.answer : answer(204, '')
  }

  async function read(request: IncomingMessage, body: Buffer): Promise<CallbackPayload | CallbackError> {
    try {
      if (secrets.length === 0) return await parseCallback(body)
      return await verifyCallback({ body, headers: request.headers }, secrets)
    } catch (error) {
      if (error instanceof CallbackError) return error
      throw error
    }
  }

  return function onRequest(request, response) {
    receive(request)
      .catch((error: unknown) => {
        say(`A callback could not be received: ${error instanceof Error ? error.message : error}`)
        return answer(500, '')
      })
      .then((found) => reply(response, found))
  }
}

async function handOn(url: string, request: IncomingMessage, body: Buffer) {
  try {
    return { answer: await forward(url, request.rawHeaders, body), error: undefined }
  } catch (error) {
    const why = error instanceof Error ? error.message || String(Reflect.get(error, 'code')) : String(error)
    say(`${url} did not take a callback: ${why}`)
    return { answer: answer(502, `${url} did not answer`), error: why }
  }
}

/** The exact bytes of the body; undefined when there are too many. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= MOST_BYTES) chunks.push(chunk)
  }
  return length <= MOST_BYTES ? Buffer.concat(chunks) : undefined
}

function answer(status: number, text: string, headers: Record<string, string> = {}): Forwarded {
  const type = text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' }
  return { status, headers: { ...headers, ...type }, body: Buffer.from(text) }
}

function reply(response: ServerResponse, { status, headers, body }: Forwarded): void {
  response.writeHead(status, headers)
  response.end(status === 204 || status === 304 ? undefined : body)
}
