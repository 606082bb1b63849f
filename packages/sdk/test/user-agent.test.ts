import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient } from '../src/index.ts'
import { createRawClient } from '../src/raw.ts'
import { userAgent } from '../src/user-agent.ts'
import { credentials, faultServer, json } from './fault-server.ts'
import { carriers } from './transports.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const ofNode = `wigwag-sdk/${version} node/${process.versions.node}`
const balance = json(200, { balance: 1, currency: 'GHS', asOf: '2026-11-20T09:31:00.000Z' })

afterEach(() => {
  vi.unstubAllGlobals()
})

describe.each(carriers)('over %s', (_, carrier) => {
  it('a request names the SDK, its version and the runtime', async () => {
    await using server = await faultServer(balance, balance)
    const options = { ...credentials, ...carrier(), baseUrl: server.baseUrl }
    await createClient(options).getBalance()
    await createRawClient(options).GET('/v1/account/balance')
    expect(server.seen.map(({ headers }) => headers['user-agent'])).toEqual([ofNode, ofNode])
  })

  it.each(['user-agent', 'User-Agent'])("the program's own name takes its place, as %s", async (name) => {
    await using server = await faultServer(balance, balance)
    const options = { ...credentials, ...carrier(), baseUrl: server.baseUrl }
    await createClient({ ...options, headers: { [name]: 'shop/2' } }).getBalance()
    await createClient(options).getBalance({ headers: { [name]: 'shop/3' } })
    expect(server.seen.map(({ headers }) => headers['user-agent'])).toEqual(['shop/2', 'shop/3'])
  })
})

it.each([
  [{ versions: { bun: '1.4.5', node: '24.3.0' } }, `wigwag-sdk/${version} bun/1.4.5`],
  [{ versions: { deno: '2.9.6', node: '24.3.0' } }, `wigwag-sdk/${version} deno/2.9.6`],
  [{ versions: {} }, undefined],
  [{}, undefined],
  [undefined, undefined],
])('a runtime is named if it says which one it is: %j', (process, name) => {
  vi.stubGlobal('process', process)
  const named = userAgent()
  vi.unstubAllGlobals()
  expect(named?.['user-agent']).toBe(name)
})
