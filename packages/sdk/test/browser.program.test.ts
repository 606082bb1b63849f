import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shareBrowser } from '../../server/test/browser/chromium.ts'
import { type GatewayProcess, startGateway } from '../../server/test/support/gateway-process.ts'

const root = join(import.meta.dirname, '../../..')
const modules: Record<string, string> = {
  '/sdk.js': join(root, 'packages/sdk/dist/index.js'),
  '/openapi-fetch.js': join(root, 'node_modules/openapi-fetch/dist/index.mjs'),
}
const imports = { '@wigwag/sdk': '/sdk.js', 'openapi-fetch': '/openapi-fetch.js' }
const html = `<!doctype html><title>Shop</title><script type="importmap">${JSON.stringify({ imports })}</script>`

let folder: string
let gateway: GatewayProcess
let server: ServerType
let page: Page
const complaints: string[] = []

/** The page and its modules, and below /gateway the gateway: a browser may not ask another origin for it. */
async function serve(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const file = modules[pathname]
  if (file) return new Response(await readFile(file), { headers: { 'content-type': 'text/javascript' } })
  if (!pathname.startsWith('/gateway/'))
    return new Response(html, { headers: { 'content-type': 'text/html' } })
  const { method, headers } = request
  const body = method === 'GET' ? null : await request.text()
  headers.delete('content-length')
  const url = `${gateway.exports.WIGWAG_BASE_URL}${pathname.slice('/gateway'.length)}${search}`
  return fetch(url, { method, headers, body })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wigwag-browser-'))
  gateway = await startGateway(folder)
  server = createAdaptorServer({ overrideGlobalObjects: false, fetch: serve })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  page = await (await shareBrowser()).newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
})

afterAll(async () => {
  await page?.close()
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)))
  await gateway?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Runs a script in the page and gives its result. The SDK is `sdk`, a client for the gateway `sms`. */
function inPage(script: string): Promise<unknown> {
  const { WIGWAG_CLIENT_ID: clientId, WIGWAG_CLIENT_SECRET: clientSecret } = gateway.exports
  const credentials = { clientId, clientSecret, walletToken: gateway.exports.WIGWAG_WALLET_TOKEN }
  return page.evaluate(`(async () => {
    const sdk = await import('@wigwag/sdk')
    const sms = sdk.createClient({ baseUrl: '/gateway', ...${JSON.stringify(credentials)} })
    ${script}
  })()`)
}

it('sends from a page and waits for the end of the message', async () => {
  const final = await inPage(`
    const sent = await sms.sendSms({ From: 'WIGWAG', To: '233241234567', Content: 'Hello', Reference: 'order-1' })
    return sms.waitForFinal(sent.Ticket, { timeout: 300_000 })`)
  expect(final).toMatchObject({ Status: 'success', Reference: 'order-1' })
})

it('tells errors apart in a page', async () => {
  const errors = await inPage(`
    const nameOf = (promise) => promise.then(() => 'none', (error) => [error.name, error.code])
    const away = sdk.createClient({ baseUrl: 'http://127.0.0.1:1', accessToken: 'x', retries: 0 })
    return Promise.all([
      nameOf(sms.sendSms({ From: 'WIGWAG', To: 'nobody', Content: 'Hello' })),
      nameOf(sms.getTransactionStatus('00000000-0000-7000-8000-000000000000')),
      nameOf(away.getBalance()),
      nameOf(sms.getBalance({ signal: AbortSignal.abort() })),
    ])`)
  expect(errors).toEqual([
    ['ValidationError', 'invalid_recipient'],
    ['NotFoundError', 'transaction_not_found'],
    ['ConnectionError', undefined],
    ['AbortedError', undefined],
  ])
})

it('sends to many and reads their messages, one at a time, in a page', async () => {
  expect(
    await inPage(`
    const bulk = { From: 'WIGWAG', Content: 'Hello' }
    const report = await sms.sendToMany(bulk, [{ To: '233241234567' }, { To: '233241234568' }], { partSize: 1 })
    let found = 0
    for await (const message of sms.searchMessages({ Limit: 1 })) if (message.To.startsWith('2332412345')) found++
    return [report.accepted, found >= 2]`),
  ).toEqual([2, true])
})

it('checks signatures in a page, and nothing of it has complained', async () => {
  const payload = await inPage(`
    const secret = 'whsec_c2VjcmV0'
    const body = JSON.stringify({ ClientReference: '', Ticket: 't', Destination: '233241234567',
      Cost: 1, BalanceBefore: 2, BalanceAfter: 1, Status: 'success' })
    return sdk.verifyCallback({ body, headers: await sdk.signCallback(body, secret) }, secret)`)
  expect(payload).toMatchObject({ Ticket: 't', Status: 'success' })
  expect(complaints).toEqual([])
})
