import { describe, expect, it, onTestFinished } from 'vitest'
import { isEmail } from '../../../src/kernel/text/entered.ts'
import { credentialsOf } from '../../../src/net/callers/auth.ts'
import { TrustedProxies } from '../../../src/net/callers/client-address.ts'
import { readCookie } from '../../../src/net/pages/cookie.ts'
import { CachingRouter } from '../../../src/net/server/app.ts'
import type { HttpContext } from '../../../src/net/server/body.ts'
import { readFields, readForm, targetRefusal } from '../../../src/net/server/fields.ts'
import { parseJson } from '../../../src/net/server/validate.ts'
import { localPath } from '../../../src/sign-in/portal/pages.ts'
import { openFront } from '../../support/front.ts'

/** In bytes: far more than a header may have, and an eighth of the second size. */
const SMALL = 64 * 1_024
const TIMES = 8
/** Quadratic time would be 64 times as long. */
const MOST = 32
/** In milliseconds: less says nothing of growth. */
const LEAST = 10

const PLACE = { name: 'wigwag_form', secure: false }
const warnings = { untrusted() {}, unreadable() {} }
const clientAddress = new TrustedProxies(['127.0.0.0/8'], warnings).clientAddress
const router = new CachingRouter<string>()
for (const path of ['/v1/messages/:id', '/carriers/:carrier/:secret', '/send/many/:key', '/'])
  router.add('GET', path, path)

const multipart = (text: string) => readForm(Buffer.from(text), 'multipart/form-data; boundary=b')
const PART = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n'
const filled = (unit: string, bytes: number) => unit.repeat(Math.ceil(bytes / unit.length))

function credentials(headers: Record<string, string>): void {
  const header = (name: string) => headers[name]
  // Safe cast: headers are all that is read of it.
  expect(() => credentialsOf({ req: { header } } as HttpContext)).toThrow()
}

type Parse = (text: string) => unknown

/** Every parser that bytes of a stranger reach, with what could take it long. */
const PARSERS: [name: string, units: string[], parse: Parse][] = [
  [
    'a form',
    ['a&', 'ab&', 'a=%41&', '&', '%&', 'a=+', '+', '%ff', '=', '\u{1f600}'],
    (text) => readFields(text),
  ],
  ['one field of a form', ['+', '%', '%ffa', '=', '%e2'], (text) => readFields(`a=${text}`)],
  ['a multipart form', [`${PART}x\r\n`, PART], (text) => multipart(`${text}--b--\r\n`)],
  ['a part', ['\r\n--', '\r\n--b', '-', '\r', 'x'], (text) => multipart(`${PART}${text}\r\n--b--\r\n`)],
  ['the headers of a part', ['A: b\r\n', 'A', ' ', '"'], (text) => multipart(`--b\r\n${text}`)],
  [
    'what a form is',
    [' ', ';', 'a=b;', '"'],
    (text) => readForm(Buffer.from(PART), `multipart/form-data; ${text}`),
  ],
  ['a path and a query', ['/', 'a&', '%', '?'], (text) => targetRefusal(`/${text}`)],
  ['the route of a path', ['/', '/a', ':'], (text) => router.match('GET', `/${text}`)],
  ['an e-mail address', ['a@', 'a.', '@a.', 'a'], (text) => isEmail(`a@${text}@`)],
  ['cookies', [';', 'a=b; ', 'wigwag_form;', '=', ' ', 'wigwag_form=%ff'], (text) => readCookie(PLACE, text)],
  ['one cookie', ['%ffa', '"', ' '], (text) => readCookie(PLACE, `wigwag_form=${text}`)],
  ['the page after a sign-in', ['/', '?', '%', '/..', '#', '@'], (text) => localPath(`/messages${text}`)],
  ['X-Forwarded-For', [',', '127.0.0.1,', '1.', '[', '[::1]:1,'], (text) => clientAddress('127.0.0.1', text)],
  ['Basic', [' ', 'a', 'YTo ', '='], (text) => credentials({ authorization: `Basic ${text}!` })],
  [
    'X-Wallet',
    [' ', 'a'],
    (text) => credentials({ authorization: `Basic ${btoa('a:b')}`, 'x-wallet': `Token ${text}` }),
  ],
  [
    'JSON',
    ['[', '{"a":', '"', '\\', '[[]],', '{"a":1},', ' ', '1', '-', '\u{1f600}'],
    (text) => caught(() => parseJson(Buffer.from(`[${text}`))),
  ],
  ['a text of JSON', ['\\u0041', '\\"', 'a'], (text) => parseJson(Buffer.from(`"${text}"`))],
]

describe('the time of parsing', () => {
  const cases = PARSERS.flatMap(([name, units, parse]) =>
    units.map((unit): [string, string, Parse] => [name, unit, parse]),
  )
  it.each(cases)('grows with the length of %s, when it is all %j', async (_name, unit, parse) => {
    const [small, large] = [SMALL, TIMES * SMALL].map((bytes) => filled(unit, bytes))
    const shortest = await shortestOf(() => parse(small ?? ''))
    const longest = await shortestOf(() => parse(large ?? ''))
    expect(longest / Math.max(shortest, LEAST)).toBeLessThan(MOST)
  })
})

describe('the time of parsing a form in parts', () => {
  const LARGE_FORM = 2 * 1_024 * 1_024
  const ONE = `${PART}${filled('x', LARGE_FORM)}\r\n--b--\r\n`

  it.each([
    ['small parts', filled(`${PART}x\r\n`, LARGE_FORM)],
    ['headers', `--b\r\n${filled('A: b\r\n', LARGE_FORM)}`],
    ['parameters', `--b\r\nContent-Disposition: form-data; name="a"${filled('; q="r"', LARGE_FORM)}`],
  ])('is no longer for 2 MiB of %s than for as much in one part', async (_name, text) => {
    const one = await shortestOf(() => multipart(ONE))
    expect(await shortestOf(() => multipart(`${text}\r\n--b--\r\n`))).toBeLessThan(2 * Math.max(one, LEAST))
  })
})

/** In bytes: the sign-in's library takes no more. */
const LARGEST_OF_LIBRARY = 56 * 1_024

describe('the time of an answer of the sign-in', () => {
  it.each([
    ['/oauth/token', 'application/x-www-form-urlencoded', 'a&'],
    ['/oauth/token', 'application/x-www-form-urlencoded', '%ff&'],
    ['/oauth/token', 'application/x-www-form-urlencoded', '%ff'],
    ['/oauth/revoke', 'application/x-www-form-urlencoded', '+&'],
    ['/oauth/register', 'application/json', '['],
    ['/oauth/register', 'application/json', '{"a":'],
  ])('%s grows with the length of %s that is all %j', async (path, type, unit) => {
    const { url, close } = await openFront(':memory:')
    onTestFinished(close)
    const answer = async (bytes: number) => {
      const body = filled(unit, bytes - unit.length)
      const answered = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      })
      expect(answered.status).toBeLessThan(500)
      await answered.text()
    }
    const shortest = await shortestOf(() => answer(LARGEST_OF_LIBRARY / TIMES))
    const longest = await shortestOf(() => answer(LARGEST_OF_LIBRARY))
    expect(longest / Math.max(shortest, LEAST)).toBeLessThan(MOST)
  })
})

/** The shortest time of several that this process worked, in milliseconds: what else the machine does only adds to it. */
async function shortestOf(work: () => unknown): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY
  for (let time = 0; time < 6; time++) {
    const began = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(began)
    shortest = Math.min(shortest, (user + system) / 1_000)
  }
  return shortest
}

function caught(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
