import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { build } from 'tsup'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { faultServer, json, message, sent } from './fault-server.ts'

/** The globals of a Worker, none of them Node's. As there, `fetch` throws when it is called as a method. */
function workerGlobals(): Record<string, unknown> {
  function strictFetch(this: unknown, ...args: Parameters<typeof fetch>) {
    if (this !== undefined) throw new TypeError('Illegal invocation')
    return fetch(...args)
  }
  return {
    fetch: strictFetch,
    Request,
    Response,
    Headers,
    FormData,
    URL,
    URLSearchParams,
    ReadableStream,
    crypto,
    structuredClone,
    TextEncoder,
    TextDecoder,
    AbortController,
    AbortSignal,
    setTimeout,
    clearTimeout,
    atob,
    btoa,
    // One realm here, two in the test: what the language makes there and Node checks for here.
    Uint8Array,
    ArrayBuffer,
    Promise,
    Error,
    TypeError,
  }
}

const out = mkdtempSync(join(tmpdir(), 'wigwag-worker-'))
const context = createContext(workerGlobals())
afterAll(() => rmSync(out, { recursive: true }))
beforeAll(async () => {
  await build({
    config: false,
    entry: { sdk: join(import.meta.dirname, '../src/index.ts') },
    outDir: out,
    format: 'iife',
    globalName: 'sdk',
    platform: 'neutral',
    noExternal: ['openapi-fetch'],
    silent: true,
    dts: false,
  })
  runInContext(readFileSync(join(out, 'sdk.global.js'), 'utf8'), context)
})

/** Runs a script where there is nothing but what a Worker has. */
function inWorker(script: string): Promise<unknown> {
  return runInContext(`(async () => { ${script} })()`, context)
}

it("has nothing of Node's around", async () => {
  expect(await inWorker('return [typeof process, typeof Buffer, typeof require, typeof global]')).toEqual(
    Array(4).fill('undefined'),
  )
})

it('sends from a Worker', async () => {
  await using server = await faultServer('reset after reading', json(200, sent))
  const options = { baseUrl: server.baseUrl, clientId: 'a', clientSecret: 'b', walletToken: 'c' }
  const result = await inWorker(`
    const sms = sdk.createClient({ ...${JSON.stringify(options)} })
    return [await sms.sendSms(${JSON.stringify(message)}), await sms.sendSms(${JSON.stringify(message)})]`)
  expect(result).toEqual([sent, sent])
  expect(server.requests()).toBe(3)
})

it('sends to many from a Worker', async () => {
  await using server = await faultServer(json(200, [sent]))
  const report = await inWorker(`
    const sms = sdk.createClient({ baseUrl: '${server.baseUrl}', accessToken: 'token' })
    return sms.sendToMany({ From: 'ACME', Content: 'Hello' }, [{ To: '233201234567' }])`)
  expect(report).toMatchObject({ accepted: 1, error: undefined })
})

it('answers callbacks in a Worker with the secret of its bindings', async () => {
  const statuses = await inWorker(`
    const secret = 'whsec_c2VjcmV0'
    const body = JSON.stringify({ ClientReference: '', Ticket: 't', Destination: '233241234567',
      Cost: 1, BalanceBefore: 2, BalanceAfter: 1, Status: 'success' })
    const worker = { fetch: sdk.callbackHandler(() => {}) }
    const headers = await sdk.signCallback(body, secret)
    const post = (env) => worker.fetch(new Request('https://shop.test/', { method: 'POST', headers, body }), env, {})
    const bound = await post({ WIGWAG_CALLBACK_SECRET: secret })
    const both = await post({ WIGWAG_CALLBACK_SECRET: 'whsec_b3RoZXI= ' + secret })
    const other = await post({ WIGWAG_CALLBACK_SECRET: 'whsec_b3RoZXI=' })
    return [bound.status, both.status, other.status]`)
  expect(statuses).toEqual([204, 204, 401])
})

it('answers callbacks in a Worker', async () => {
  const statuses = await inWorker(`
    const secret = 'whsec_c2VjcmV0'
    const body = JSON.stringify({ ClientReference: '', Ticket: 't', Destination: '233241234567',
      Cost: 1, BalanceBefore: 2, BalanceAfter: 1, Status: 'success' })
    const seen = []
    const worker = { fetch: sdk.callbackHandler(secret, (payload) => seen.push(payload.Ticket)) }
    const post = (headers) => worker.fetch(new Request('https://shop.test/', { method: 'POST', headers, body }))
    const good = await post(await sdk.signCallback(body, secret))
    const bad = await post(await sdk.signCallback(body, 'whsec_b3RoZXI='))
    return [good.status, bad.status, ...seen]`)
  expect(statuses).toEqual([204, 401, 't'])
})
