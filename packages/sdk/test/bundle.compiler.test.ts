import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'tsup'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import config from '../tsup.config.ts'
import { failure } from './fault-server.ts'

const root = join(import.meta.dirname, '..')
const require = createRequire(import.meta.url)
// Inside the repository, so that the dependency is found from there.
const out = mkdtempSync(join(root, 'built-for-test-'))
const plain = { dts: false, silent: true, clean: false } as const
afterAll(() => rmSync(out, { recursive: true }))
beforeAll(() => build({ ...config, ...plain, entry: [join(root, 'src/index.ts')], outDir: out }))

/** The code that a bundler makes of some imports. */
async function bundle(names: string): Promise<string> {
  const entry = join(out, 'entry.ts')
  const outDir = join(out, 'bundle')
  writeFileSync(entry, `export { ${names} } from './index.js'`)
  await build({
    ...plain,
    config: false,
    entry: [entry],
    outDir,
    format: 'esm',
    noExternal: ['openapi-fetch'],
  })
  return readFileSync(join(outDir, 'entry.js'), 'utf8')
}

const balance = { balance: 1, currency: 'GHS', asOf: '2026-11-20T09:31:00.000Z' }
const options = { baseUrl: 'https://gateway.test', accessToken: 'token', fetch: () => Response.json(balance) }

describe('the package', () => {
  it('works where it is imported', async () => {
    const { createClient } = await import(pathToFileURL(join(out, 'index.js')).href)
    expect(await createClient(options).getBalance()).toEqual(balance)
  })

  it('works where it is required', async () => {
    const { createClient } = require(join(out, 'index.cjs'))
    expect(await createClient(options).getBalance()).toEqual(balance)
  })

  it('recognises the errors of its other build', async () => {
    const esm = await import(pathToFileURL(join(out, 'index.js')).href)
    const refuse = () => Response.json({ code: 'not_found' }, { status: 404 })
    const client = require(join(out, 'index.cjs')).createClient({ ...options, fetch: refuse, retries: 0 })
    const error = await failure(client.getBalance())
    expect(error instanceof esm.WigwagError).toBe(false)
    for (const kind of ['WigwagError', 'GatewayError', 'NotFoundError'])
      expect(esm[kind].is(error), kind).toBe(true)
    for (const kind of ['ValidationError', 'ConnectionError']) expect(esm[kind].is(error), kind).toBe(false)
    for (const other of [new Error('x'), undefined, { name: 'GatewayError' }])
      expect(esm.WigwagError.is(other)).toBe(false)
  })

  it('leaves the client out where only callbacks are received, and the other way round', async () => {
    expect(await bundle('callbackHandler, toNodeHandler')).not.toContain('/v1/messages')
    expect(await bundle('createClient')).not.toContain('webhook-signature')
  })
})
