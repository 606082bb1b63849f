import { createClient } from '@wigwag/sdk'
import { openInbox } from '@wigwag/sdk/testing'
import { describe, expect, it } from 'vitest'
import { openWorld } from '../assistants/oauth/world.ts'
import { walletIdOf } from '../support/assistants.ts'
import { aPlace } from '../support/bench.ts'

const to = '233241234567'
const From = 'WIGWAG'

async function open(engine: 'an SQLite file' | 'PostgreSQL') {
  const { url, gateway } = await openWorld({ database: await aPlace(engine) })
  const { demo, sandbox } = gateway
  if (!demo || !sandbox) throw new Error('a sandbox has a demo account and controls')
  const { accountId, clientId, clientSecret, walletToken } = demo
  const wallet = { id: await walletIdOf(gateway, accountId), currency: 'GHS' }
  return {
    client: createClient({ baseUrl: url, clientId, clientSecret, walletToken }),
    sandbox,
    caller: { accountId, clientId, senders: new Map(), wallet },
  }
}

describe.each(['an SQLite file', 'PostgreSQL'] as const)('an inbox at a gateway on %s', (engine) => {
  it('reads on after the clock was moved and the sandbox started over', async () => {
    const { client, sandbox, caller } = await open(engine)
    const send = (code: number) => client.sendSms({ From, To: to, Content: `Your code is ${code}` })
    const inbox = await openInbox(client)
    await send(1111)
    const before = await inbox.now()
    await sandbox.forward(caller, 7_200_000)
    const { Ticket } = await send(2222)
    expect((await inbox.waitForMessage({ to, after: before })).code).toBe('2222')
    await client.waitForFinal(Ticket)
    await sandbox.startOver.run(caller)
    const wait = inbox.waitForMessage({ to, timeout: 60_000 })
    await send(3333)
    expect((await wait).code).toBe('3333')
  })

  it('reads the messages of a bulk in its order, and one to the same number right after it', async () => {
    const { client } = await open(engine)
    const inbox = await openInbox(client)
    const Recipients = Array.from({ length: 120 }, (_, at) => ({
      To: at % 2 === 0 ? to : `2332012${10_000 + at}`,
      Reference: `${at}`,
    }))
    await client.sendBulkSms({ From, Content: 'Hello', Recipients })
    const before = await inbox.now()
    await client.sendSms({ From, To: to, Content: 'Your code is 9999' })
    expect((await inbox.waitForMessage({ to, after: before })).code).toBe('9999')
    const references = []
    for (let count = 0; count < 60; count++)
      references.push((await inbox.waitForMessage({ to })).message.Reference)
    expect(references).toEqual(Array.from({ length: 60 }, (_, at) => `${2 * at}`))
  })
})
