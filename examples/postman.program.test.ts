import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@wigwag/sdk'
import newman, { type NewmanRunSummary } from 'newman'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayProcess, startGateway } from './gateway-process.ts'

const file = join(import.meta.dirname, 'postman', 'wigwag.postman_collection.json')
const collection: { item: { item: unknown[] }[] } = JSON.parse(await readFile(file, 'utf8'))
const requests = collection.item.flatMap((group) => group.item).length

let folder: string
let gateway: GatewayProcess
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wigwag-postman-'))
  gateway = await startGateway(folder)
})
afterAll(async () => {
  await gateway?.stop()
  await rm(folder, { recursive: true, force: true })
})

function variables(): Record<string, string> {
  const { WIGWAG_BASE_URL, WIGWAG_CLIENT_ID, WIGWAG_CLIENT_SECRET, WIGWAG_WALLET_TOKEN } = gateway.exports
  return {
    baseUrl: WIGWAG_BASE_URL ?? '',
    clientid: WIGWAG_CLIENT_ID ?? '',
    clientsecret: WIGWAG_CLIENT_SECRET ?? '',
    token: WIGWAG_WALLET_TOKEN ?? '',
  }
}

function run(values: Record<string, string>): Promise<NewmanRunSummary> {
  const envVar = Object.entries(values).map(([key, value]) => ({ key, value }))
  return new Promise((resolve, reject) => {
    newman.run({ collection: file, envVar }, (error, summary) => (error ? reject(error) : resolve(summary)))
  })
}

describe('the Postman collection', () => {
  it('passes from its first request to its last against a gateway that was just started', async () => {
    const { baseUrl = '', clientid = '', clientsecret = '', token = '' } = variables()
    const sms = createClient({ baseUrl, clientId: clientid, clientSecret: clientsecret, walletToken: token })
    // The last folder replays a callback, so there has to be one.
    const CallbackUrl = 'http://127.0.0.1:9/closed'
    const sent = await sms.sendSms({ From: 'WIGWAG', To: '233241234567', Content: 'Hello', CallbackUrl })
    await sms.waitForFinal(sent.Ticket, { timeout: 20_000 })

    const summary = await run(variables())
    expect(summary.run.failures.map(({ source, error }) => `${source?.name}: ${error.message}`)).toEqual([])
    expect(summary.run.stats.assertions.total).toBe(requests)
  })

  it('fails at every request when the client secret is wrong', async () => {
    const summary = await run({ ...variables(), clientsecret: 'wrong' })
    expect(new Set(summary.run.failures.map(({ source }) => source?.name)).size).toBe(requests)
  })
})
