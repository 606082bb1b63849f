import { randomBytes } from 'node:crypto'
import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { CallerLimits } from '../../src/assistants/send-limits.ts'
import { TicketMaker } from '../../src/kernel/ids.ts'
import { buildRateTable } from '../../src/kernel/money/rates.ts'
import type { WalletPrincipal } from '../../src/kernel/principal.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import type { Depart } from '../../src/messages/index.ts'
import { Accept } from '../../src/messages/sending/accept.ts'
import type { Accepted } from '../../src/messages/sending/decide.ts'
import type { SendCommand } from '../../src/messages/sending/prepare.ts'
import { type Database, StoreUnavailable } from '../../src/store/database.ts'
import { connect, WIDE, walletIdOf } from '../support/assistants.ts'
import { aPlace, type Bench, ENGINES_WITH_FILE, openBench } from '../support/bench.ts'
import { makeWallets } from '../support/rows-of.ts'
import { stopRealTime } from '../support/still-time.ts'
import { turns } from '../support/turns.ts'

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

/** Leaves every message to whoever claims it. */
const notYet: Depart = () => ({ laneOf: () => '', leaseMs: () => undefined, begin() {}, giveBack() {} })

type Listeners = Pick<ConstructorParameters<typeof Accept>[0], 'backlog'> &
  Partial<ConstructorParameters<typeof Accept>[1]>

/** Sends on a store that writes in its own way. */
function acceptOn(
  write: Database['write'],
  { backlog, ...listeners }: Listeners = {},
  read: Database['read'] = write,
) {
  const database: Database = { engine: 'sqlite', writesAtOnce: 1, read, write, close: async () => {} }
  const accept = new Accept(
    { database, clock: systemClock, newId: new TicketMaker(randomBytes).make, ...(backlog && { backlog }) },
    {
      rates: async () => rates,
      validityMs: 1,
      limits: new CallerLimits({ dailySpend: undefined, dailyMessages: undefined, recipients: undefined }),
      depart: notYet,
      onAccepted() {},
      onFault() {},
      ...listeners,
    },
  )
  return (command: SendCommand) => accept.send(command)
}

/** The varying parts of a send of the bench's own account. */
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

/** The answer to each send: the text, or the code of the problem. */
async function answersOf(sends: readonly Promise<Accepted>[]): Promise<string[]> {
  const ended = await Promise.allSettled(sends)
  return ended.map((each) =>
    each.status === 'rejected'
      ? each.reason.code
      : `${each.value.json}${each.value.replayed ? ', replayed' : ''}`,
  )
}

describe('sends that arrive together', () => {
  it.each([
    { whose: 'a wallet that is held up', held: true, order: ['small', 'begun'] },
    { whose: 'another wallet', held: false, order: ['begun', 'small'] },
  ])('of $whose, while many results wait to be stored: $order', async ({ held, order }) => {
    const { promise: small, resolve: isSmall } = Promise.withResolvers<void>()
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
    const events: string[] = []
    const accept = acceptOn(
      () => {
        events.push('begun')
        isAsked()
        return Promise.reject(new StoreUnavailable('down'))
      },
      {
        backlog: {
          admits: () => !held,
          small() {
            isAsked()
            return small
          },
        },
      },
    )
    const send = accept(command(0)).catch(() => undefined)
    await asked
    await turns()
    events.push('small')
    isSmall()
    await send
    expect(events).toEqual(order)
  })

  it('are refused together by a store that takes nothing, which is asked once for all of them', async () => {
    stopRealTime()
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
    stopRealTime()
    let writes = 0
    const accept = acceptOn((work) => {
      writes++
      return bench.database.write((tx) =>
        work({
          ...tx,
          run(text, values) {
            if (values.includes('poison')) throw new Error('a fault of ours')
            return tx.run(text, values)
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
        told.push(messages.length)
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
      bench.database.write((tx) =>
        work({
          ...tx,
          run: (text, values) => {
            asked.push(text)
            return tx.run(text, values)
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
    expect(about()).toBeGreaterThan(0)
  })
})

describe('sends of many wallets', () => {
  /** A send without a key, of so many messages of a wallet. */
  const ofWallet = (id: string, count: number): SendCommand => ({
    ...command(0),
    principal: { ...command(0).principal, accountId: `account-${id}`, wallet: { id, currency: 'GHS' } },
    recipients: Array(count).fill({ to: '233241234567', reference: '' }),
    idempotency: undefined,
  })

  it('are refused to the wallet of which more come than may wait, and to no other', async () => {
    let fail = () => {}
    const accept = acceptOn(
      () =>
        new Promise((_, reject) => {
          fail = () => reject(new StoreUnavailable('down'))
        }),
    )
    const answers: Promise<string>[] = []
    const send = (id: string, count: number) =>
      void answers.push(accept(ofWallet(id, count)).then(String, ({ message }) => message))
    send('first', 1)
    await turns()
    for (let sent = 0; sent < 20; sent++) send('many', 1_000)
    await turns()
    send('many', 1)
    send('few', 1)
    expect(await answers[21]).toMatch(/^Too many messages of this wallet wait/)
    await turns()
    for (let batch = 0; batch < 25; batch++) {
      fail()
      await turns()
    }
    const ended = await Promise.all(answers)
    expect(ended.filter((answer) => answer === 'down')).toHaveLength(22)
  })

  it('go beside the bulks of another wallet, of which one is stored at a time', async () => {
    const { database } = await openBench()
    await makeWallets(database, { many: 1e9, few: 1e9 })
    const [begun, done]: [(() => void)[], string[]] = [[], []]
    const accept = acceptOn(
      async (work) => {
        await new Promise<void>((resolve) => begun.push(resolve))
        return database.write(work)
      },
      { onAccepted: (messages) => void done.push(`${messages.length} of ${messages[0]?.walletId}`) },
    )
    const bulks = Array.from({ length: 4 }, () => accept(ofWallet('many', 2_000)))
    await turns()
    const single = accept(ofWallet('few', 1))
    await turns()
    expect(begun).toHaveLength(2)
    begun[1]?.()
    await single
    expect([done, begun.length]).toEqual([['1 of few'], 2])
    for (const index of [0, 2, 3, 4]) {
      begun[index]?.()
      await turns()
    }
    await Promise.all(bulks)
    expect(done.slice(1)).toEqual(Array(4).fill('2000 of many'))
  })
})

describe.each(ENGINES_WITH_FILE)('several bodies that come at once with one key, on %s', (engine) => {
  async function open(balance: number) {
    const bench = await openBench({
      database: await aPlace(engine),
      config: { demoBalance: micros(balance) },
    })
    const makeSend = await sendsOf(bench)
    const accept = acceptOn(bench.database.write)
    const to = (...recipients: number[]) =>
      recipients.map((each) => accept(makeSend({ key: 'k', recipients: each })))
    return { bench, makeSend, accept, to }
  }

  it('are judged each by itself until one is accepted, whose key it then is', async () => {
    const { to } = await open(2 * PRICE)
    expect(await answersOf(to(5, 4, 2, 1))).toEqual([
      'insufficient_funds',
      'insufficient_funds',
      'k to 2',
      'idempotency_key_reused',
    ])
    expect(await answersOf(to(2))).toEqual(['k to 2, replayed'])
  })

  it('get the answer of their own body: repeats of a refused one its refusal', async () => {
    stopRealTime()
    const { to } = await open(2 * PRICE)
    expect(await answersOf(to(5, 2, 5, 2, 5))).toEqual([
      'insufficient_funds',
      'k to 2',
      'insufficient_funds',
      'k to 2, replayed',
      'insufficient_funds',
    ])
  })

  it('are refused for themselves also when another has the key by the time that is looked up', async () => {
    const { bench, makeSend } = await open(2 * PRICE)
    let others: Promise<unknown> = Promise.resolve()
    const read: Database['read'] = (work) => others.then(() => bench.database.read(work))
    const accept = acceptOn(bench.database.write, {}, read)
    const sends = [5, 2].map((recipients) => accept(makeSend({ key: 'k', recipients })))
    others = Promise.resolve(sends[1])
    expect(await answersOf(sends)).toEqual(['insufficient_funds', 'k to 2'])
  })

  it('are judged by themselves also when the first is beyond the limits of its connection', async () => {
    const { bench, makeSend, accept } = await open(100 * PRICE)
    const { id } = await connect(bench, bench.demo.accountId, { ...WIDE, dailyMessages: 2 })
    const to = (...recipients: number[]) =>
      recipients.map((each) =>
        accept(makeSend({ key: 'k', recipients: each, connection: { id, canSend: true } })),
      )
    expect(await answersOf(to(5, 2, 5, 1))).toEqual([
      'limit_reached',
      'k to 2',
      'limit_reached',
      'idempotency_key_reused',
    ])
  })
})
