import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@wigwag/sdk'
import newman, { type NewmanRunSummary } from 'newman'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayProcess, startGateway } from '../../../packages/server/test/support/gateway-process.ts'

const file = join(import.meta.dirname, '../../../examples/postman/wigwag.postman_collection.json')
const collection: { item: { name: string; item: { name: string }[] }[] } = JSON.parse(
  await readFile(file, 'utf8'),
)
const NOT_IN_A_RUN = 'Not in a run'
const inARun = collection.item
  .filter(({ name }) => name !== NOT_IN_A_RUN)
  .flatMap((group) => group.item.map(({ name }) => name))

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

function client() {
  const { baseUrl = '', clientid = '', clientsecret = '', token = '' } = variables()
  return createClient({ baseUrl, clientId: clientid, clientSecret: clientsecret, walletToken: token })
}

async function all<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of pages) items.push(item)
  return items
}

const failuresOf = ({ run }: NewmanRunSummary) =>
  run.failures.map(({ source, error }) => `${source?.name}: ${error.message}`)

function variables(): Record<string, string> {
  const { WIGWAG_BASE_URL, WIGWAG_CLIENT_ID, WIGWAG_CLIENT_SECRET, WIGWAG_WALLET_TOKEN } = gateway.exports
  return {
    baseUrl: WIGWAG_BASE_URL ?? '',
    clientid: WIGWAG_CLIENT_ID ?? '',
    clientsecret: WIGWAG_CLIENT_SECRET ?? '',
    token: WIGWAG_WALLET_TOKEN ?? '',
  }
}

function run(values: Record<string, string>, folder?: string): Promise<NewmanRunSummary> {
  const envVar = Object.entries(values).map(([key, value]) => ({ key, value }))
  return new Promise((resolve, reject) => {
    newman.run({ collection: file, envVar, ...(folder && { folder }) }, (error, summary) =>
      error ? reject(error) : resolve(summary),
    )
  })
}

describe('the Postman collection', () => {
  it('passes from its first request to its last against a gateway that was just started', async () => {
    const summary = await run(variables())
    expect(failuresOf(summary)).toEqual([])
    expect(summary.run.stats.assertions.total).toBe(inARun.length)
  })

  it('replaces no key, asks for no sender ID and posts no callback again in a run', async () => {
    const sms = client()
    // A key that is used has another time of its last use.
    const keys = async () => (await all(sms.listKeys())).map(({ LastUsed, ...key }) => key)
    const before = [await keys(), await all(sms.listSenderIds())]
    const summary = await run(variables())
    expect(summary.run.executions.map(({ item }) => item.name)).toEqual(inARun)
    expect([await keys(), await all(sms.listSenderIds())]).toEqual(before)
  })

  it('has these in a folder of their own, and each works', async () => {
    const sms = client()
    const CallbackUrl = 'http://127.0.0.1:9/closed'
    const sent = await sms.sendSms({ From: 'WIGWAG', To: '233241234567', Content: 'Hello', CallbackUrl })
    await sms.waitForFinal(sent.Ticket, { timeout: 300_000 })
    const [callback] = await all(sms.listCallbacks())
    const key = (await all(sms.listKeys())).find(({ Kind }) => Kind === 'callback')
    const values = { ...variables(), key: key?.Id ?? '', callback: callback?.Id ?? '' }
    const summary = await run(values, NOT_IN_A_RUN)
    expect(failuresOf(summary)).toEqual([])
    expect(summary.run.executions.map(({ item }) => item.name)).toEqual(
      collection.item.find(({ name }) => name === NOT_IN_A_RUN)?.item.map(({ name }) => name),
    )
    expect((await all(sms.listKeys())).map(({ Id }) => Id)).not.toEqual([key?.Id])
  })

  it('fails at every request when the client secret is wrong', async () => {
    const summary = await run({ ...variables(), clientsecret: 'wrong' })
    expect(new Set(summary.run.failures.map(({ source }) => source?.name)).size).toBe(inARun.length)
  })
})
