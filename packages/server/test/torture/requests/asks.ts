import { gzipSync } from 'node:zlib'
import type { Random } from '../../support/random.ts'
import type { Caller } from './callers.ts'
import { ROUTES, type Route, type Shape } from './document.ts'
import { write } from './json.ts'
import type { Bytes } from './line.ts'
import { type Fit, jsonFor, nearText, textOf } from './values.ts'

export interface Ask extends Bytes {
  operation: string
  caller: Caller
  method: string
  target: string
  /** Whether it is a request of the document's paths in proper HTTP, so that only the operation's answers are right. */
  plain: boolean
}

/** Ids in earlier answers, by kind. */
export type Known = Record<'ticket' | 'key' | 'callback' | 'cursor', string[]> & { none?: never }

const SENDS = ROUTES.filter(({ answers }) => '402' in answers)
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

/** A request that is valid, or wrong in one or a few ways. */
export function makeAsk(random: Random, callers: readonly Caller[], known: Known): Ask {
  const route = random.pick(random.chance(20) ? SENDS : ROUTES)
  const caller = random.pick(callers.flatMap((each) => Array.from({ length: each.weight }, () => each)))
  const wrong = random.chance(60)
    ? random.pick(['body', 'query', 'path', 'headers', 'method', 'bytes'] as const)
    : 'nothing'
  const method = wrong === 'method' ? random.pick(METHODS) : route.method
  const target = targetOf(route, random, known, wrong)
  const body = route.body ? bodyOf(route.body, random, wrong) : strayBody(random)
  const headers = [...caller.headers(), ...headersOf(route, body, random, wrong === 'headers')]
  const odd = wrong === 'headers' && random.chance(50) ? oddHeader(random, headers) : undefined
  const framed = frame(body, random)
  const lines = [['Host', 'gateway.invalid'], ...headers, ...framed.headers, ...(odd?.headers ?? [])]
  const top = [`${method} ${target} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)]
  return {
    operation: route.id,
    caller,
    method,
    target,
    bytes: Buffer.concat([Buffer.from(`${top.join('\r\n')}\r\n\r\n`, 'latin1'), framed.bytes]),
    head: method === 'HEAD',
    alone: odd !== undefined || wrong === 'path',
    plain: odd === undefined && wrong !== 'path' && wrong !== 'method' && !hasTooManyFields(target),
  }
}

/** The document says of any request that it may not have more. */
function hasTooManyFields(target: string): boolean {
  return target.split('&').length > 100
}

type Wrong = 'body' | 'query' | 'path' | 'headers' | 'method' | 'bytes' | 'nothing'

function targetOf(route: Route, random: Random, known: Known, wrong: Wrong): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const shape = route.parameters.find((each) => each.name === name)?.shape ?? {}
    const faulty = wrong === 'path' && random.chance(50)
    if (faulty)
      return escaped(textOf(shape, random, random.pick<Fit>(['edge', 'near', 'rubbish'])), random) || '-'
    return random.pick([...lately(known[kindOf(route.id, name)]), textOf(shape, random, 'valid')])
  })
  const pairs = route.parameters.flatMap(({ name, in: place, shape, required }) => {
    if (place !== 'query' || !(required || random.chance(30))) return []
    const fit: Fit =
      wrong === 'query' && random.chance(50) ? random.pick(['edge', 'near', 'rubbish']) : 'valid'
    const text =
      name === 'Cursor' && fit === 'valid'
        ? random.pick([...lately(known.cursor), 'x'])
        : textOf(shape, random, fit)
    return [`${name}=${escaped(text, random)}`]
  })
  const query = wrong === 'query' ? oddQuery(pairs, random) : pairs
  return (wrong === 'path' ? oddPath(path, random) : path) + (query.length > 0 ? `?${query.join('&')}` : '')
}

const lately = (ids: readonly string[] = []) => ids.slice(-20)

function kindOf(id: string, parameter: string): keyof Known | 'none' {
  if (parameter === 'country') return 'none'
  if (id === 'rotateKey') return 'key'
  return id === 'replayCallback' ? 'callback' : 'ticket'
}

/** Percent-encoded, as most clients do it or down to the last byte. Half a surrogate pair becomes U+FFFD. */
function escaped(text: string, random: Random): string {
  const bytes = Buffer.from(text)
  if (random.chance(10)) return [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return encodeURIComponent(bytes.toString())
}

function oddQuery(pairs: readonly string[], random: Random): string[] {
  const [first = 'Limit=5'] = pairs
  return random.pick([
    [...pairs],
    [...pairs, first],
    [...pairs, 'Limit=%zz'],
    [...pairs, '%00=%00', '=', '&', 'Unknown=1', '__proto__=1'],
    [...pairs, 'Limit=', 'Limit[]=1', 'Limit=1e2'],
    [...pairs, 'To=%ff%fe', 'From=%ed%a0%80'],
    [...pairs, `Reference=${'a'.repeat(4_000)}`],
    Array.from({ length: 1_000 }, (_, index) => `p${index}=${index}`),
    pairs.map((pair) => pair.toLowerCase()),
  ])
}

function oddPath(path: string, random: Random): string {
  return random.pick([
    path,
    path,
    `${path}/`,
    `/${path}`,
    path.replace('/v1', '/v1/.'),
    `${path}/..`,
    `${path}/%2e%2e`,
    path.replaceAll('s', '%73'),
    path.toUpperCase(),
    path.replace('v1', 'v2'),
    `${path};x=1`,
    `${path}%00`,
    `${path}/%zz`,
    `${path}%`,
    `${path}#part`,
    `http://elsewhere.invalid${path}`,
    `/v1/${'a'.repeat(8_000)}`,
    `/v1/${'a/'.repeat(2_000)}`,
    '/v1',
    '/v1/messages/sms/bulk',
    '/v1/é€',
  ])
}

function bodyOf(shape: Shape, random: Random, wrong: Wrong): Buffer {
  const text = write(jsonFor(shape, random, wrong === 'body' ? 1 + random.from(0, 3) : 0))
  return wrong === 'bytes' ? oddBytes(text, random) : Buffer.from(text)
}

function oddBytes(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text)
  const at = random.from(0, bytes.length + 1)
  const flipped = Buffer.from(bytes)
  if (flipped.length > 0) flipped[at % flipped.length] = random.from(0, 256)
  return random.pick([
    () => Buffer.alloc(0),
    () => bytes.subarray(0, at),
    () => flipped,
    () => Buffer.concat([Buffer.from('\ufeff'), bytes]),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.concat([bytes, Buffer.from('\0')]),
    () => Buffer.from(text, 'utf16le'),
    () => gzipSync(bytes),
    () => Buffer.from(nearText(text, random)),
    () => Buffer.from(`[${text}]`),
    () => Buffer.from(JSON.stringify(text)),
    () => Buffer.from(text + ' '.repeat(70_000)),
    () => Buffer.from(new URLSearchParams({ From: 'WIGWAG', To: '233241234567' }).toString()),
  ])()
}

/** Operations without a body sometimes get one: it must not be taken for the next request. */
function strayBody(random: Random): Buffer | undefined {
  return random.chance(5) ? Buffer.from('GET /v1/account/balance HTTP/1.1\r\n\r\n') : undefined
}

function headersOf(
  route: Route,
  body: Buffer | undefined,
  random: Random,
  wrong: boolean,
): [string, string][] {
  const type = random.pick(
    wrong
      ? [
          'text/plain',
          'application/json',
          'application/xml',
          'application/json; charset=utf-16',
          'multipart/form-data',
          '',
          'json',
        ]
      : ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'],
  )
  const keys = route.parameters.flatMap(({ name, in: place, shape }): [string, string][] => {
    if (place !== 'header' || !random.chance(30)) return []
    // Few keys for many requests, so that they come again: with the same body, and with others.
    const key = wrong ? textOf(shape, random, random.pick(['edge', 'near'])) : `key-${random.from(0, 400)}`
    return [[name, key.replace(/[\r\n\0]/g, '').replace(/[^\t -~\u0080-\u00ff]/gu, '?')]]
  })
  return [...(body ? [['Content-Type', type] satisfies [string, string]] : []), ...keys]
}

function oddHeader(random: Random, own: readonly [string, string][]): { headers: [string, string][] } {
  const [name, value] = random.pick(own.length > 0 ? own : ([['Accept', '*/*']] as const))
  return {
    headers: random.pick<[string, string][]>([
      [[name, value]],
      [[name, 'x']],
      [[name.toUpperCase(), '']],
      [['Host', 'other.invalid']],
      [['X-Long', 'a'.repeat(8_000)]],
      [['X-Long', 'a'.repeat(40_000)]],
      [['X-Latin', 'caf\u00e9 \u00ff']],
      [['X Space', '1']],
      [['X-Zero', 'a\0b']],
      [['X-Folded', 'a\r\n b']],
      [['Expect', '100-continue']],
      [['Expect', 'miracles']],
      [['Content-Length', '-1']],
      [['Content-Length', '5']],
      [['Transfer-Encoding', 'gzip']],
      [['Transfer-Encoding', 'chunked']],
      [['Content-Encoding', 'gzip']],
      [
        ['Upgrade', 'websocket'],
        ['Connection', 'Upgrade'],
      ],
      [['Connection', 'close']],
      [['X-Forwarded-For', '\u00ff, , 999.1.1.1']],
      [['traceparent', '00-0-0-zz']],
      [['Accept', 'application/xml;q=0']],
      Array.from({ length: 1_500 }, (_, index) => [`X-${index}`, '1']),
    ]),
  }
}

function frame(body: Buffer | undefined, random: Random): { headers: [string, string][]; bytes: Buffer } {
  if (!body) return { headers: [], bytes: Buffer.alloc(0) }
  if (random.chance(85)) return { headers: [['Content-Length', String(body.length)]], bytes: body }
  const size = Math.max(1, Math.ceil(body.length / (1 + random.from(0, 50))))
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return {
    headers: [['Transfer-Encoding', 'chunked']],
    bytes: Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]),
  }
}
