import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createTicketMaker } from '../../src/domain/ids.ts'
import { micros } from '../../src/domain/money.ts'
import { buildRateTable } from '../../src/domain/rates.ts'
import { createAccept } from '../../src/gateway/accept.ts'
import type { SendCommand } from '../../src/gateway/prepare.ts'
import type { WalletPrincipal } from '../../src/gateway/principal.ts'
import { type Database, StoreUnavailable } from '../../src/store/database.ts'
import { openBench } from '../isolation/bench.ts'
import { connect, walletIdOf } from './assistants.ts'

const rates = buildRateTable([{ country: 'GH', price: micros(42_000), currency: 'GHS' }])

const command = (index: number): SendCommand => ({
  principal: {
    accountId: 'a',
    clientId: 'c',
    wallet: { id: 'w', currency: 'GHS' },
    senders: new Map([['WIGWAG', 'approved']]),
  },
  operation: 'sendSms',
  sender: 'WIGWAG',
  content: 'Hello',
  callbackUrl: undefined,
  recipients: [{ to: '233241234567', reference: '' }],
  pointerTo: () => '/To',
  idempotency: { key: `key-${index}`, fingerprint: 'f' },
  render: () => '{}',
})

/** Sends on a store that writes in its own way. */
function acceptOn(write: Database['write']) {
  const database: Database = { engine: 'sqlite', read: write, write, close: async () => {} }
  return createAccept({
    database,
    clock: systemClock,
    rates: async () => rates,
    newId: createTicketMaker((size) => new Uint8Array(size)),
    validityMs: 1,
    onAccepted() {},
  })
}

describe('sends that arrive together', () => {
  it('are refused together by a store that takes nothing, which is asked once for all of them', async () => {
    let writes = 0
    const accept = acceptOn(() => {
      writes++
      return Promise.reject(new StoreUnavailable('down'))
    })
    const ended = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => accept(command(index))))
    for (const each of ended) expect(each).toMatchObject({ status: 'rejected', reason: { message: 'down' } })
    expect(writes).toBe(1)
  })

  it('are tried one by one when something else is wrong, so that one that fails harms no other', async () => {
    let writes = 0
    const accept = acceptOn(() => Promise.reject(new Error(`write ${++writes}`)))
    const ended = await Promise.allSettled(Array.from({ length: 5 }, (_, index) => accept(command(index))))
    const messages = ended.map((each) => each.status === 'rejected' && each.reason.message)
    expect(messages).toEqual(['write 2', 'write 3', 'write 4', 'write 5', 'write 6'])
  })

  it('ask the store about connections only when one of them is of a connection', async () => {
    const bench = await openBench()
    const { accountId } = bench.demo
    const wallet = { id: await walletIdOf(bench, accountId), currency: 'GHS' }
    const { id } = await connect(bench, accountId)
    const asked: string[] = []
    const accept = acceptOn((work) =>
      bench.database.write((connection) =>
        work({
          ...connection,
          run: (text, values) => {
            asked.push(text)
            return connection.run(text, values)
          },
        }),
      ),
    )
    const sendOf = (index: number, principal: Partial<WalletPrincipal>) => {
      const send = command(index)
      return accept({ ...send, principal: { ...send.principal, accountId, wallet, ...principal } })
    }
    const about = () => asked.filter((text) => text.includes('connections')).length
    await Promise.all(Array.from({ length: 5 }, (_, index) => sendOf(index, {})))
    expect([asked.length > 0, about()]).toEqual([true, 0])
    await Promise.all(
      Array.from({ length: 5 }, (_, index) => sendOf(5 + index, { connection: { id, canSend: true } })),
    )
    expect(about()).toBe(2)
  })
})
