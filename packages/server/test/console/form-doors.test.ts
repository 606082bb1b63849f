import { describe, expect, it } from 'vitest'
import { exchange, onSocket } from '../routes/socket.ts'
import { shareFront } from '../support/front.ts'

const LARGE = 2 * 1_024 * 1_024
const FORM = 'application/x-www-form-urlencoded'
/** A gateway closes a connection whose body it did not read, here after a millisecond. */
const AT_ONCE = { lingerMs: 1 }
const FORMS = ['/send/many', '/send', '/theme', '/sign-in', '/sign-out', '/open', '/oauth/interaction/x']

// Shared, because refused forms change nothing.
const front = await shareFront(':memory:')

async function open() {
  const url = await onSocket(front.gateway, AT_ONCE)
  const page = await fetch(`${front.url}/sign-in`)
  const cookie = page.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const ticket = /name="form_ticket" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  /** Sends the head of a form and nothing of its body; resolves with what comes back. */
  const begin = (path: string, lines: string[], length = LARGE, type = FORM) => {
    const head = ['host: 127.0.0.1', `content-type: ${type}`, ...lines]
    return exchange(url, `POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\ncontent-length: ${length}\r\n\r\n`)
  }
  return { cookie, ticket, begin }
}

describe('a form of a stranger', () => {
  it.each(FORMS)('is refused before its body is read, without the cookie of a page: %s', async (path) => {
    const { begin } = await open()
    const answers = await Promise.all([1_000, LARGE].map((length) => begin(path, [], length)))
    expect(answers.map(({ status }) => status)).toEqual([403, 403])
  })

  it.each(FORMS)('is refused before its body is read, from elsewhere: %s', async (path) => {
    const { begin, cookie } = await open()
    const places = ['origin: https://evil.example', 'sec-fetch-site: cross-site']
    const answers = await Promise.all(places.map((from) => begin(path, [`cookie: ${cookie}`, from])))
    expect(answers.map(({ status }) => status)).toEqual([403, 403])
  })

  it.each(['/send/many', '/send', '/theme'])(
    'leads to the sign-in before its body is read, without a session: %s',
    async (path) => {
      const { begin, cookie } = await open()
      for (const session of ['', '; wigwag_portal=wp_invented']) {
        const answer = await begin(path, [`cookie: ${cookie}${session}`])
        expect([answer.status, answer.headers.get('location')?.split('?')[0]]).toEqual([303, '/sign-in'])
      }
    },
  )

  it('has no byte of it read, however it comes', async () => {
    const { cookie } = await open()
    let chunks = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          chunks++
          controller.enqueue(new Uint8Array(1_024))
        },
      },
      { highWaterMark: 0 },
    )
    const init = { method: 'POST', headers: { cookie }, body, duplex: 'half' as const }
    const answer = await front.gateway.app.fetch(new Request(`${front.url}/send/many`, init))
    expect([answer.status, chunks]).toEqual([303, 0])
  })

  it('has at most 16 KiB before its sender is known', async () => {
    const { begin, cookie } = await open()
    for (const path of ['/sign-in', '/sign-out', '/open']) {
      const answer = await begin(path, [`cookie: ${cookie}`], 16 * 1_024 + 1)
      expect([answer.status, (await answer.text()).includes('too large')]).toEqual([413, true])
    }
  })

  it('has at most 100 fields', async () => {
    const { cookie, ticket } = await open()
    expect(await statusWith(99)).not.toBe(403)
    expect(await statusWith(100)).toBe(403)

    async function statusWith(more: number): Promise<number> {
      const body = `form_ticket=${ticket}${'&a'.repeat(more)}`
      const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
      return (await fetch(`${front.url}/sign-in`, { method: 'POST', headers, body })).status
    }
  })

  it.each([
    ['99 fields', 99, 401],
    ['100 fields besides its ticket', 100, 403],
  ])('in parts may have %s', async (_name, more, status) => {
    const { cookie, ticket } = await open()
    const form = new FormData()
    form.set('form_ticket', ticket)
    for (let field = 0; field < more; field++) form.append('a', '')
    const bytes = await fetch(`${front.url}/sign-in`, { method: 'POST', headers: { cookie }, body: form })
    expect(bytes.status).toBe(status)
  })

  it.each([
    ['1 KiB of headers', 1_024, 401],
    ['8 KiB of headers', 8 * 1_024, 403],
  ])('in parts may have a part with %s', async (_name, bytes, status) => {
    const { cookie, ticket } = await open()
    const part = (name: string, more: string, value: string) =>
      `--a-boundary\r\nContent-Disposition: form-data; name="${name}"\r\n${more}\r\n${value}\r\n`
    const body = `${part('form_ticket', '', ticket)}${part('email', 'A: b\r\n'.repeat(bytes / 6), 'ama')}--a-boundary--\r\n`
    const headers = { cookie, 'content-type': 'multipart/form-data; boundary=a-boundary' }
    const answer = await fetch(`${front.url}/sign-in`, { method: 'POST', headers, body })
    expect(answer.status).toBe(status)
  })
})

describe('a request of a stranger', () => {
  it.each([
    ['/v1/messages/sms', 401],
    ['/v1/messages/sms/bulk/otm', 401],
    ['/mcp', 401],
    ['/carriers/south/guess', 404],
    ['/nothing', 404],
  ])('to %s is refused before its body is read', async (path, status) => {
    const { begin } = await open()
    expect((await begin(path, [], LARGE, 'application/json')).status).toBe(status)
  })

  it.each([
    ['a query of 101 fields', `/sign-in?${'a&'.repeat(100)}`],
    ['a query of 101 fields, of an operation', `/v1/account/balance?${'a&'.repeat(100)}`],
    ['a query of 101 fields, for the library', `/oauth/authorize?${'a&'.repeat(100)}`],
    ['a path of more than 1 KiB', `/${'%ff'.repeat(342)}`],
  ])('with %s is refused before that is parsed', async (_name, path) => {
    const answer = await fetch(`${front.url}${path}`)
    expect([answer.status, await answer.json()]).toMatchObject([413, { code: 'body_too_large' }])
  })

  it('with a query of 100 fields is not', async () => {
    expect((await fetch(`${front.url}/sign-in?${'a&'.repeat(99)}`)).status).toBe(200)
  })
})
