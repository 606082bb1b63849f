import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import newman, { type NewmanRunSummary } from 'newman'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readDocument, routesOf } from '../../generate/document.ts'
import { type StandIn, standIn } from './stand-in.ts'

const root = join(import.meta.dirname, '../../..')
const document = await readDocument(join(root, 'openapi.yaml'))
const collection: { variable: { key: string; value: string }[] } = JSON.parse(
  await readFile(join(root, 'examples/postman/wigwag.postman_collection.json'), 'utf8'),
)

const credentials = { clientid: 'client-1', clientsecret: 'its secret: 100 %', token: 'wallet-1' }

/** The identifiers of the document's examples, and what the stand-in answers in their place. */
const MESSAGE = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'
const CALLBACK = '01932c07-8a11-7a55-b0c4-0f6f5a3c2d10'
const sent = '0193aaaa-0000-7000-8000-000000000001'
const scheduled = '0193aaaa-0000-7000-8000-000000000002'
const callback = '0193aaaa-0000-7000-8000-000000000003'

let gateway: StandIn
beforeEach(async () => {
  const instead = {
    sendSms: { [MESSAGE]: sent },
    scheduleSms: { [MESSAGE]: scheduled },
    listCallbacks: { [CALLBACK]: callback },
  }
  gateway = await standIn(document, { ...credentials, instead })
})
afterEach(() => gateway.close())

describe('the Postman collection', () => {
  it('has six variables to fill in', () => {
    expect(collection.variable.map(({ key }) => key)).toEqual([
      'baseUrl',
      'clientid',
      'clientsecret',
      'token',
      'from',
      'to',
    ])
  })

  it('runs every operation of the document, and each passes', async () => {
    const { run } = await runWith({ baseUrl: gateway.baseUrl, ...credentials })

    expect(gateway.served.flatMap(({ problems }) => problems)).toEqual([])
    expect(run.failures.map(({ error, source }) => `${source?.name}: ${error.message}`)).toEqual([])
    const all = routesOf(document).map((route) => route.operation.operationId)
    expect(gateway.served.map(({ operationId }) => operationId).sort()).toEqual([...all].sort())
    expect(run.stats.assertions).toMatchObject({ total: all.length, failed: 0, pending: 0 })
  })

  it('asks for what it sent, not for what the document shows', async () => {
    await runWith({ baseUrl: gateway.baseUrl, ...credentials })

    const asked = Object.fromEntries(gateway.served.map(({ operationId, path }) => [operationId, path]))
    expect(asked).toMatchObject({
      getTransactionStatus: { ticket: sent },
      getMessage: { id: sent },
      cancelScheduledSms: { ticket: scheduled },
      replayCallback: { id: callback },
    })
  })

  it('fails at every operation of a wallet when the wallet token is wrong', async () => {
    const { run } = await runWith({ baseUrl: gateway.baseUrl, ...credentials, token: 'another' })

    const wallet = routesOf(document).filter(
      ({ operation }) => 'walletToken' in (operation.security[0] ?? {}),
    )
    expect(wallet.length).toBeGreaterThan(0)
    expect(run.stats.assertions.failed).toBe(wallet.length)
  })
})

/** Fills in variables of the collection, as a person does, and runs it. */
function runWith(values: Record<string, string>): Promise<NewmanRunSummary> {
  const variable = collection.variable.map((each) => ({ ...each, value: values[each.key] ?? each.value }))
  return new Promise((resolve, reject) => {
    newman.run({ collection: { ...collection, variable } }, (error, summary) =>
      error ? reject(error) : resolve(summary),
    )
  })
}
