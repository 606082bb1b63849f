import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@wigwag/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayProcess, startGateway } from './gateway-process.ts'

const run = promisify(execFile)
const partOfThem = /^(connection|gateway-process|vitest\.config)\.ts$|\.test\.ts$/
const programs = (await readdir(import.meta.dirname)).filter(
  (name) => name.endsWith('.ts') && !partOfThem.test(name),
)
const receivers = ['receive-callbacks.ts', 'receive-callbacks-hono.ts']

let folder: string
let gateway: GatewayProcess
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wigwag-examples-'))
  gateway = await startGateway(folder)
})
afterAll(async () => {
  await gateway?.stop()
  await rm(folder, { recursive: true, force: true })
})

describe('every example', () => {
  it('is here', () =>
    expect(programs.toSorted()).toEqual([
      'handle-errors.ts',
      'read-messages.ts',
      'receive-callbacks-hono.ts',
      'receive-callbacks.ts',
      'send-bulk.ts',
      'send-fast.ts',
      'send-many.ts',
      'send-one.ts',
      'test-with-sandbox.ts',
      'wait-for-final.ts',
    ]))

  it.each(programs.filter((name) => !receivers.includes(name)))(
    '%s runs to its end against a gateway that was just started',
    async (program) => {
      const env = { ...process.env, ...gateway.exports }
      await run(process.execPath, [join(import.meta.dirname, program)], { env, timeout: 300_000 })
    },
  )

  it.each(receivers)('%s runs to its end, and answers the gateway before', async (program) => {
    const env = { ...process.env, ...gateway.exports }
    const { stdout } = await run(process.execPath, [join(import.meta.dirname, program)], {
      env,
      timeout: 300_000,
    })
    const [, ticket = ''] = /Ticket: '([^']+)'/.exec(stdout) ?? []
    await expect
      .poll(() => callbacksOf(ticket))
      .toMatchObject([{ State: 'delivered', Attempts: [{ HttpStatus: 204 }] }])
  })

  it('says what to set when nothing is set', async () => {
    const env = { PATH: process.env.PATH ?? '' }
    const failed = run(process.execPath, [join(import.meta.dirname, 'send-one.ts')], { env })
    await expect(failed).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('WIGWAG_CLIENT_ID'),
    })
  })
})

/** The callbacks of a message, as its sender sees them. */
async function callbacksOf(ticket: string) {
  const {
    WIGWAG_BASE_URL: baseUrl = '',
    WIGWAG_CLIENT_ID: clientId = '',
    WIGWAG_CLIENT_SECRET: clientSecret = '',
    WIGWAG_WALLET_TOKEN: walletToken = '',
  } = gateway.exports
  const sms = createClient({ baseUrl, clientId, clientSecret, walletToken })
  return (await sms.listCallbacks({ Ticket: ticket }).page()).Items
}
