import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { catalogue } from '../../../src/kernel/errors.ts'
import { openFront } from '../../support/front.ts'
import { shareHarness } from '../../support/harness.ts'

const harness = shareHarness()
const get = (path: string, headers: Record<string, string> = {}) =>
  harness().app.fetch(new Request(`http://gateway.invalid${path}`, { headers }))

let html: string
let document: Record<string, unknown>
beforeAll(async () => {
  html = await (await get('/docs')).text()
  document = JSON.parse(await (await get('/openapi.json')).text())
})

/** The words of a page, without those that only a script shows. */
function wordsOf(page: string): string {
  return page
    .replace(/<head>.*?<\/head>|<form .*?<\/form>/gs, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
}

/** Everything in the document under a name, wherever it is. */
function* named(name: string, within: unknown): Generator<unknown> {
  if (typeof within !== 'object' || within === null) return
  for (const [key, value] of Object.entries(within)) {
    if (key === name) yield value
    yield* named(name, value)
  }
}

/** A description as it is read: without blanks, and the marks of Markdown. */
const squeezed = (text: string) => text.replace(/^## |^\|[-|]+\|$|^\d\. /gm, '').replace(/[`*|\s]/g, '')

/** The sentences outside of schemas that a reader needs; bodies and credentials are told otherwise. */
function* sentences(within: unknown): Generator<string> {
  if (typeof within !== 'object' || within === null) return
  for (const [key, value] of Object.entries(within)) {
    if (['schema', 'schemas', 'securitySchemes', 'servers'].includes(key)) continue
    if (typeof value === 'string' && ['description', 'summary'].includes(key)) yield value
    else if (key === 'requestBody') yield* sentences(Object(value).content)
    else yield* sentences(value)
  }
}

/** The fields of all schemas, each with its sentence. */
function fields(): { name: string; text: string }[] {
  const schemas: Record<string, { description?: string }> = Object(document.components).schemas
  return [...named('properties', document)].flatMap((properties) =>
    Object.entries<{ $ref?: string; description?: string }>(Object(properties)).map(([name, field]) => {
      const schema = field.$ref === undefined ? field : schemas[field.$ref.split('/').at(-1) ?? '']
      return { name, text: schema?.description ?? '' }
    }),
  )
}

describe('the API reference, without its script', () => {
  it('has the sentences, fields and examples of the whole document', () => {
    const words = wordsOf(html).replace(/\s/g, '')
    const texts = [...sentences(document), ...fields().map(({ text }) => text)]
    expect(texts.length).toBeGreaterThan(200)
    expect(texts.filter((text) => !words.includes(squeezed(text)))).toEqual([])
    expect(fields().filter(({ name }) => !html.includes(`<code>${name}</code>`))).toEqual([])
    const examples = [...named('examples', document)].flatMap((all) => Object.values(Object(all)))
    const values = examples.map((example) => JSON.stringify(Object(example).value).replace(/\s/g, ''))
    expect(values.length).toBeGreaterThan(40)
    expect(values.filter((value) => !words.includes(value))).toEqual([])
  })

  it('names every code of an error, and each operation links to its own', () => {
    const words = wordsOf(html)
    expect(Object.keys(catalogue).filter((code) => !words.includes(code))).toEqual([])
    const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id)
    expect(targets.length).toBeGreaterThan(150)
    expect(targets.filter((id) => !html.includes(`id="${id}"`))).toEqual([])
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  it('leaves no mark of Markdown in its text', () => {
    expect(wordsOf(html.replace(/<(pre|code)\b.*?<\/\1>/gs, ''))).not.toMatch(/`|\*\*|\|--|## |\]\(/)
  })
})

describe('the API reference on the way', () => {
  it('is at most 40 kB in all, and each part is there in every encoding', async () => {
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(html) ?? []
    const [, script = ''] = /<script src="([^"]+)"/.exec(html) ?? []
    const sizes: Record<string, number> = {}
    for (const path of ['/docs', style, script]) {
      const bytes = async (encoding: string) => {
        const answer = await get(path, { 'accept-encoding': encoding })
        expect(answer.headers.get('vary')).toContain('accept-encoding')
        const wanted = encoding.startsWith('gzip, deflate, br') ? 'br' : encoding
        expect(answer.headers.get('content-encoding')).toBe(wanted === 'identity' ? null : wanted)
        return Buffer.from(await answer.arrayBuffer())
      }
      const identity = await bytes('identity')
      const br = await bytes('gzip, deflate, br, zstd')
      expect(brotliDecompressSync(br).equals(identity), path).toBe(true)
      expect(gunzipSync(await bytes('gzip')).equals(identity), path).toBe(true)
      sizes[path] = br.length
    }
    const total = Object.values(sizes).reduce((sum, size) => sum + size, 0)
    expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(40_000)
  })

  it('is sent once: the page until it changes, its script and style for good', async () => {
    const first = await get('/docs')
    const etag = first.headers.get('etag') ?? ''
    expect([first.headers.get('cache-control'), etag]).toEqual([
      'no-cache',
      expect.stringMatching(/^W\/"[\w-]{12}"$/),
    ])
    for (const given of [etag, `"other", ${etag}`]) {
      const again = await get('/docs', { 'if-none-match': given })
      expect([again.status, await again.text()]).toEqual([304, ''])
    }
    expect((await get('/docs', { 'if-none-match': 'W/"other"' })).status).toBe(200)
    expect((await get('/docs', { 'if-none-match': etag, cookie: 'wigwag_theme=dark' })).status).toBe(200)
    for (const [, path = ''] of html.matchAll(/(?:href|src)="(\/assets\/reference[^"]+)"/g)) {
      const { headers } = await get(path)
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
  })

  it('may be framed and used by no other site, and loads and asks nothing of others', async () => {
    const { headers } = await get('/docs')
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    })
  })

  it.each(['light', 'dark'])('is %s for a person who chose so in the console', async (theme) => {
    const page = await (await get('/docs', { cookie: `wigwag_theme=${theme}` })).text()
    expect(page).toContain(`data-theme="${theme}"`)
    expect(html).not.toContain('data-theme')
  })
})

describe('the document', () => {
  it('is the same as JSON and as YAML', async () => {
    const answer = await get('/openapi.yaml')
    expect(answer.headers.get('content-type')).toBe('application/yaml')
    const yaml = await answer.text()
    expect(parse(yaml)).toEqual(document)
    expect(yaml).toMatch(/^openapi: 3\.0\.3\n/)
  })

  it('is sent compressed, and once', async () => {
    for (const path of ['/openapi.json', '/openapi.yaml']) {
      const answer = await get(path, { 'accept-encoding': 'br' })
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect(answer.headers.get('content-encoding')).toBe('br')
      expect(bytes.length).toBeLessThan(20_000)
      const etag = answer.headers.get('etag') ?? ''
      expect((await get(path, { 'if-none-match': etag })).status).toBe(304)
    }
  })
})

describe('the credentials of the demo account', () => {
  /** One request over a socket with any headers: fetch lets its callers choose no Host. */
  function ask(url: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      request(`${url}/docs/demo`, { headers }, async (response) =>
        resolve({ status: response.statusCode ?? 0, body: await text(response) }),
      )
        .on('error', reject)
        .end()
    })
  }
  const NOTHING = { status: 204, body: '' }

  it('come to a browser on the machine of the sandbox, for no cache and no other page', async () => {
    const { url, gateway } = await open(':memory:')
    const { clientId, clientSecret, walletToken } = gateway.demo ?? {}
    const { status, body } = await ask(url)
    expect([status, JSON.parse(body)]).toEqual([200, { clientId, clientSecret, walletToken }])
    const { headers } = await fetch(`${url}/docs/demo`)
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    expect(headers.get('access-control-allow-origin')).toBe(null)
    const page = await (await fetch(`${url}/docs`)).text()
    for (const secret of [clientId, clientSecret, walletToken]) expect(page).not.toContain(secret)
  })

  it.each([
    ['another name for this machine', { host: 'evil.example' }],
    ['a name that begins like an address', { host: '127.0.0.1.evil.example' }],
    ['another machine through a proxy', { 'x-forwarded-for': '192.0.2.7' }],
    ['another machine through a tunnel', { forwarded: 'for=192.0.2.7' }],
  ])('do not come by %s', async (_, headers) => {
    const { url } = await open(':memory:')
    expect(await ask(url, headers)).toEqual(NOTHING)
  })

  it('do not come to another machine', async () => {
    const { gateway } = await open(':memory:')
    const from = (remoteAddress: string) => ({ incoming: { headers: {}, socket: { remoteAddress } } })
    const asked = (address: string) =>
      gateway.app.fetch(
        new Request('http://127.0.0.1/docs/demo', { headers: { host: '127.0.0.1' } }),
        from(address),
      )
    expect((await asked('192.0.2.7')).status).toBe(204)
    expect((await asked('127.0.0.1')).status).toBe(200)
  })

  it('are not there in production, where a page says that a send is real', async () => {
    const { url } = await open(':memory:', { environment: 'production', secret: 'a secret of tests' })
    expect((await ask(url)).status).toBe(404)
    const page = await (await fetch(`${url}/docs`)).text()
    expect(page).toContain('A send is real')
    expect(page).not.toMatch(/data-demo|class="ribbon"/)
    expect(html).toMatch(/data-demo="\/docs\/demo".*class="ribbon"|class="ribbon".*data-demo="\/docs\/demo"/s)
  })

  async function open(...options: Parameters<typeof openFront>) {
    const front = await openFront(...options)
    onTestFinished(() => front.close())
    return front
  }
})
