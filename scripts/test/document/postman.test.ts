import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import newman, { type NewmanRunSummary } from 'newman'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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
const sent = '0193aaaa-0000-7000-8000-000000000001'
const scheduled = '0193aaaa-0000-7000-8000-000000000002'

const ALONE_FOLDER = 'Not in a run'
/** A run that replaced a key, asked the operator or posted callbacks again would change what others rely on. */
const ALONE = ['replayCallback', 'replayFailedCallbacks', 'requestSenderId', 'rotateKey']
const inRun = routesOf(document).filter(({ operation }) => !ALONE.includes(operation.operationId))

let gateway: StandIn
beforeEach(async () => {
  gateway = await gatewayOfTheDocument()
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

  it('has those in a folder, from which each passes when it is sent', async () => {
    const { run } = await runWith({ baseUrl: gateway.baseUrl, ...credentials }, ALONE_FOLDER)

    expect(gateway.served.map(({ operationId }) => operationId).sort()).toEqual(ALONE)
    expect(gateway.served.flatMap(({ problems }) => problems)).toEqual([])
    expect(run.stats.assertions).toMatchObject({ total: ALONE.length, failed: 0, pending: 0 })
  })

  it('fails at every operation of a wallet when the wallet token is wrong', async () => {
    const { run } = await runWith({ baseUrl: gateway.baseUrl, ...credentials, token: 'another' })

    const wallet = inRun.filter(({ operation }) => 'walletToken' in (operation.security[0] ?? {}))
    expect(wallet.length).toBeGreaterThan(0)
    expect(run.stats.assertions.failed).toBe(wallet.length)
  })
})

describe('a run of the Postman collection', () => {
  let ran: StandIn
  let run: NewmanRunSummary['run']
  beforeAll(async () => {
    ran = await gatewayOfTheDocument()
    run = (await runWith({ baseUrl: ran.baseUrl, ...credentials })).run
  })
  afterAll(() => ran.close())

  it('is of every operation of the document but those that change what others rely on, and each passes', () => {
    expect(ran.served.flatMap(({ problems }) => problems)).toEqual([])
    expect(run.failures.map(({ error, source }) => `${source?.name}: ${error.message}`)).toEqual([])
    const all = inRun.map((route) => route.operation.operationId)
    expect(ran.served.map(({ operationId }) => operationId).sort()).toEqual([...all].sort())
    expect(run.stats.assertions).toMatchObject({ total: all.length, failed: 0, pending: 0 })
  })

  it('asks for what it sent, not for what the document shows', () => {
    const asked = Object.fromEntries(ran.served.map(({ operationId, path }) => [operationId, path]))
    expect(asked).toMatchObject({
      getTransactionStatus: { ticket: sent },
      getMessage: { id: sent },
      cancelScheduledSms: { ticket: scheduled },
    })
  })
})

function gatewayOfTheDocument(): Promise<StandIn> {
  const instead = { sendSms: { [MESSAGE]: sent }, scheduleSms: { [MESSAGE]: scheduled } }
  return standIn(document, { ...credentials, instead })
}

/** Fills in variables of the collection, as a person does, and runs it or one folder of it. */
function runWith(values: Record<string, string>, folder?: string): Promise<NewmanRunSummary> {
  const variable = collection.variable.map((each) => ({ ...each, value: values[each.key] ?? each.value }))
  return new Promise((resolve, reject) => {
    newman.run({ collection: { ...collection, variable }, ...(folder && { folder }) }, (error, summary) =>
      error ? reject(error) : resolve(summary),
    )
  })
}
