import { Writable } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SmscOptions } from '../../../smpp/src/smsc/smsc.ts'
import { fakeCarrier } from '../../../smpp/test/peers.ts'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { createMovedClock, TimeLapse } from '../../src/testing/clock.ts'
import { START } from '../support/bench.ts'
import { checkStandings } from '../support/books.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { call, openFront, SINGLE } from '../support/front.ts'

const WINDOW = 'window=50&reconnectMs=100&enquireMs=600000'
const PATIENT = `${WINDOW}&responseMs=45000`
const A_SECOND = 1_000
const PRICE = 42_000

/** A gateway on memory whose only carrier is a fake one, over a real socket. Both have a clock that only tests move. */
async function openOverSmpp(
  behaviour: Partial<SmscOptions> = {},
  { query = PATIENT, clock = createMovedClock(epochMs(START)) } = {},
) {
  const smsc = await fakeCarrier({ clock, ...behaviour })
  const logged: string[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      logged.push(String(chunk))
      done()
    },
  })
  const front = await openFront(
    ':memory:',
    {
      carrier: {
        given: `smpp://wigwag:top-secret@127.0.0.1:${smsc.port}?${query}`,
        folder: '.',
        variables: () => ({}),
      },
    },
    { log: pino({ level: 'trace' }, stream), clock },
  )
  onTestFinished(front.close)
  const { database, idle } = front.gateway
  const { advance } = new TimeLapse(clock, idle)
  const account = await front.account('a', 20_000_000)
  const metrics = async () => (await front.gateway.metricsApp.request('/metrics')).text()
  const rows = () =>
    database.read(({ run }) =>
      run<{ id: string; status: string; cost: number; segments: number; reason: string | null }>(
        'SELECT id, status, cost, segments, failure_reason AS reason FROM messages ORDER BY id',
        [],
      ),
    )
  return {
    smsc,
    clock,
    advance,
    front,
    account,
    rows,
    logged,
    send: (to: string, content = 'Hello') => sendOne(front.url, account, to, content),
    final: async () => {
      await eventually('all are final', async () => {
        // Time stands while an answer is on its way, or it would be over for one that a slow machine brings late.
        if ((await metrics()).includes('wigwag_carrier_unanswered{carrier="127.0.0.1"} 0'))
          await advance(A_SECOND)
        return (await rows()).every(({ status }) => status !== 'pending')
      })
      await checkStandings(database)
      return rows()
    },
    metrics,
  }
}

async function sendOne(url: string, account: AccountSecrets, To: string, Content: string): Promise<string> {
  const body = { From: 'WIGWAG', To, Content }
  const { status, text } = await call(url, account, { path: SINGLE, body })
  expect(status).toBe(200)
  return (JSON.parse(text) as { Ticket: string }).Ticket
}

describe('a gateway with a carrier over SMPP', () => {
  it.each([
    ['233241234567', 'success'],
    ['233241200001', 'undelivered'],
    ['233241200002', 'expired'],
    ['233241200003', 'rejected'],
    ['233241200004', 'failed'],
    ['233241200006', 'success'],
  ])('ends a message to %s as %s', async (to, status) => {
    const { send, final } = await openOverSmpp()
    await send(to)
    expect(await final()).toMatchObject([{ status, cost: status === 'success' ? PRICE : 0 }])
  })

  it.each([
    ['in the alphabet of GSM', 'A long text {€} '.repeat(25)],
    ['in Unicode', 'Ein langer Text 😀 '.repeat(12)],
  ])('sends a long message %s in the parts that are charged', async (_, text) => {
    const { send, final, smsc } = await openOverSmpp(
      { ids: 'mixed' },
      { query: `${PATIENT}&ids=hex-then-decimal` },
    )
    await send('233241234567', text)
    const [message] = await final()
    expect(smsc.taken).toHaveLength(message?.segments ?? 0)
    expect(smsc.taken.length).toBeGreaterThan(2)
    expect(smsc.taken.map((part) => part.text).join('')).toBe(text)
    expect(message).toMatchObject({ status: 'success', cost: PRICE * smsc.taken.length })
  })

  it.each(['udh', 'sar'])(
    'gives no two of many long messages to one phone the same reference, by %s',
    async (long) => {
      const { send, final, smsc } = await openOverSmpp({}, { query: `${PATIENT}&long=${long}` })
      const many = Array.from({ length: 40 }, (_, index) => [
        send('233241234567', `${index} `.padEnd(200, 'x')),
        send('233241234568', `${index} `.padEnd(200, 'y')),
      ])
      await Promise.all(many.flat())
      await final()
      const toOne = smsc.taken.filter(({ destination }) => destination === '233241234567')
      const byText = Map.groupBy(toOne, ({ part }) => part?.reference)
      expect(byText.size).toBe(40)
      for (const parts of byText.values())
        expect(parts.map(({ part }) => part?.number).sort()).toEqual([1, 2])
    },
  )

  it('sends each of many messages once, while it is throttled and receipts overtake answers', async () => {
    // Its time goes by with what it is sent, so that it throttles on a slow machine too.
    let elapsed = 0
    const clock = createMovedClock(epochMs(START))
    const busy = { ...clock, elapsed: () => (elapsed += 20) }
    const { send, final, smsc } = await openOverSmpp({ tps: 30, receiptFirst: true, clock: busy }, { clock })
    const sends = Array.from({ length: 100 }, (_, index) => send('233241234567', `Message ${index}`))
    await Promise.all(sends)
    expect((await final()).map(({ status }) => status)).toEqual(Array(100).fill('success'))
    expect(new Set(smsc.taken.map(({ text }) => text)).size).toBe(100)
    expect(smsc.counts()).toMatchObject({ taken: 100, repeated: 0 })
    expect(smsc.counts().throttled).toBeGreaterThan(0)
  })

  it('sends what waited when a carrier that had gone is back, and nothing twice', async () => {
    const port = await freePort()
    const { send, final, smsc, rows } = await openOverSmpp({ port, delayMs: 30 })
    await send('233241234567', 'before')
    await final()
    await smsc.close()
    for (let index = 0; index < 20; index++) await send('233241234567', `while away ${index}`)
    expect((await rows()).filter(({ status }) => status === 'pending')).toHaveLength(20)
    const back = await fakeCarrier({ port })
    await final()
    expect(new Set(back.taken.map(({ text }) => text)).size).toBe(20)
    expect(back.counts()).toMatchObject({ taken: 20, repeated: 0 })
  })

  it('holds what was not answered, lists it, and hears the receipt of it that comes with the late answer', async () => {
    const query = `${WINDOW}&responseMs=1000`
    const { send, front, metrics, final, smsc, clock } = await openOverSmpp({ answerMs: 1_800 }, { query })
    const ticket = await send('233241234567')
    await eventually('it was taken', () => smsc.taken.length === 1)
    clock.moveTo(epochMs(clock.now() + A_SECOND))
    const uncertain = () => front.gateway.carriers.uncertain(10)
    await eventually('it is uncertain', async () => (await uncertain()).total === 1)
    expect((await uncertain()).messages).toMatchObject([{ ticket }])
    expect(await metrics()).toContain('wigwag_messages_uncertain{carrier="127.0.0.1"} 1')
    expect(await final()).toMatchObject([{ status: 'success' }])
    expect((await uncertain()).total).toBe(0)
  })

  it('says how the carrier is, and never its password', async () => {
    const { send, metrics, logged, front, advance } = await openOverSmpp({ password: 'another' })
    await eventually('the refusal is logged', async () => logged.some((line) => line.includes('RINVPASWD')))
    await send('233241234567')
    const text = await metrics()
    expect(text).toContain('wigwag_carrier_up{carrier="127.0.0.1"} 0')
    expect(text).toContain('wigwag_carrier_queue_messages{carrier="127.0.0.1"} 1')
    const reports = async () => JSON.stringify(await front.gateway.carriers.reports())
    await eventually('the refusal is reported', async () => {
      await advance(A_SECOND)
      return (await reports()).includes('RINVPASWD')
    })
    expect(logged.join('') + text + (await reports())).not.toContain('top-secret')
  })
})
