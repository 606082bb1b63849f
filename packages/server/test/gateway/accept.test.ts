import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createTicketMaker } from '../../src/domain/ids.ts'
import { micros } from '../../src/domain/money.ts'
import { buildRateTable } from '../../src/domain/rates.ts'
import { type AcceptOptions, createAccept } from '../../src/gateway/accept.ts'
import type { SendCommand } from '../../src/gateway/prepare.ts'
import type { WalletPrincipal } from '../../src/gateway/principal.ts'
import { type Database, StoreUnavailable } from '../../src/store/database.ts'
import { type Bench, openBench } from '../isolation/bench.ts'
import { connect, walletIdOf } from './assistants.ts'

const PRICE = 42_000
const rates = buildRateTable([{ country: 'GH', price: micros(PRICE), currency: 'GHS' }])

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
function acceptOn(write: Database['write'], listeners: Partial<AcceptOptions> = {}) {
  const database: Database = { engine: 'sqlite', read: write, write, close: async () => {} }
  return createAccept({
    database,
    clock: systemClock,
    rates: async () => rates,
    newId: createTicketMaker(randomBytes),
    validityMs: 1,
    onAccepted() {},
    onFault() {},
    ...listeners,
  })
}

/** What a send of the bench's own account differs in. */
interface Body {
  key: string
  /** Messages of one segment each; one when left out. */
  recipients?: number
  reference?: string
  connection?: WalletPrincipal['connection']
}

/** Makes sends of the bench's own account: two with the same key and number of recipients are the same. */
async function sendsOf(bench: Bench) {
  const { accountId } = bench.demo
  const wallet = { id: await walletIdOf(bench, accountId), currency: 'GHS' }
  return ({ key, recipients = 1, reference = '', connection }: Body): SendCommand => {
    const any = command(0)
    return {
      ...any,
      principal: { ...any.principal, accountId, wallet, ...(connection && { connection }) },
      recipients: Array(recipients).fill({ to: '233241234567', reference }),
      idempotency: { key, fingerprint: `to ${recipients}` },
      render: (messages) => `${key} to ${messages.length}`,
    }
  }
}

const referencesIn = async ({ database }: Bench) => {
  const rows = await database.read(({ run }) =>
    run<{ reference: string }>('SELECT reference FROM messages ORDER BY reference', []),
  )
  return rows.map(({ reference }) => reference)
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

  it('are tried in ever smaller parts when something else is wrong, so that one that fails harms no other', async () => {
    const bench = await openBench()
    const makeSend = await sendsOf(bench)
    let writes = 0
    const accept = acceptOn((work) => {
      writes++
      return bench.database.write((connection) =>
        work({
          ...connection,
          run(text, values) {
            if (values.includes('poison')) throw new Error('a fault of ours')
            return connection.run(text, values)
          },
        }),
      )
    })
    const references = Array.from({ length: 32 }, (_, index) => (index === 2 ? 'poison' : `${100 + index}`))
    const ended = await Promise.allSettled(
      references.map((reference) => accept(makeSend({ key: reference, reference }))),
    )
    expect(ended.flatMap(({ status }, index) => (status === 'rejected' ? index : []))).toEqual([2])
    expect(await referencesIn(bench)).toEqual(references.filter((reference) => reference !== 'poison'))
    expect(writes).toBeLessThanOrEqual(11)
  })

  it('are accepted once and answered, whatever a listener throws', async () => {
    const bench = await openBench()
    const makeSend = await sendsOf(bench)
    const [told, faults]: [number[], unknown[]] = [[], []]
    const accept = acceptOn(bench.database.write, {
      onAccepted(messages) {
        told.push(messages)
        throw new Error('a listener failed')
      },
      onFault: (error) => faults.push(error),
    })
    const withoutKey = (reference: string) => ({
      ...makeSend({ key: '', reference }),
      idempotency: undefined,
    })
    const answers = await Promise.all(['a', 'b', 'c'].map((reference) => accept(withoutKey(reference))))
    expect(answers).toEqual(Array(3).fill({ json: ' to 1', replayed: false }))
    expect(await referencesIn(bench)).toEqual(['a', 'b', 'c'])
    expect([told, faults]).toEqual([[3], [new Error('a listener failed')]])
  })

  it('ask the store about connections only when one of them is of a connection', async () => {
    const bench = await openBench()
    const makeSend = await sendsOf(bench)
    const { id } = await connect(bench, bench.demo.accountId)
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
    const send = (index: number, more: Partial<Body>) => accept(makeSend({ key: `key-${index}`, ...more }))
    const about = () => asked.filter((text) => text.includes('connections')).length
    await Promise.all(Array.from({ length: 5 }, (_, index) => send(index, {})))
    expect([asked.length > 0, about()]).toEqual([true, 0])
    await Promise.all(
      Array.from({ length: 5 }, (_, index) => send(5 + index, { connection: { id, canSend: true } })),
    )
    expect(about()).toBe(2)
  })
})
