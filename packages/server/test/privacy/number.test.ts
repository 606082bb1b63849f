import { zCallbackPage, zDeliveryInsights, zLedgerPage, zMessagePage } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { type ErasedNumber, eraseNumber } from '../../src/operate/privacy/index.ts'
import { createAudit } from '../../src/store/audit/index.ts'
import { fileOf } from '../../src/store/open.ts'
import { insertRows } from '../../src/store/rows.ts'
import { clearDeleted } from '../../src/store/wipe.ts'
import { answerOf } from '../isolation/requests.ts'
import { recordOf, schedule } from '../isolation/scheduling.ts'
import { walletIdOf } from '../support/assistants.ts'
import { aPlace, type Bench, openBench } from '../support/bench.ts'
import { MESSAGE } from '../support/harness.ts'
import { booksBalance, tablesWith, textsInFiles } from './stored.ts'

const NUMBER = '233249876541'
const LONGER = `${NUMBER}2`
const TEXT = 'Your test result is ready'
const HOUR = 3_600_000

async function send({ call }: Bench, changes: object = {}, key?: string): Promise<string> {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  const response = await call('POST', '/v1/messages/sms', headers, { ...MESSAGE, ...changes })
  const { Ticket } = (await response.json()) as { Ticket: string }
  return Ticket
}

const erase = (bench: Bench, number = NUMBER): Promise<ErasedNumber> => eraseNumber(bench, number)

/** A store in which something changes between the look at connections and what is written because of it. */
function changing({ database }: Bench, change: () => Promise<unknown>): Bench['database'] {
  let isFound = false
  return {
    ...database,
    read: (work) =>
      database.read((tx) => {
        const run: typeof tx.run = async (text, values) => {
          const rows = await tx.run<never>(text, values)
          isFound ||= text.includes('FROM connections') && rows.length > 0
          return rows
        }
        return work({ ...tx, run })
      }),
    async write(work, how) {
      if (isFound) await change()
      isFound = false
      return database.write(work, how)
    },
  }
}

const SEND = { digest: 'd', ticket: null, attempts: 1, failures: 0 }

/** A gateway in which the number stands in every place where one can. */
async function openFull(engine: 'an SQLite file' | 'PostgreSQL') {
  const url = await aPlace(engine)
  const bench = await openBench({ database: url })
  bench.answer = ({ url, body }) => new Response(`${url} got ${body}`, { status: 500 })
  const to = { To: NUMBER, Content: TEXT, CallbackUrl: `https://receiver.example/?to=${NUMBER}` }
  const ticket = await send(bench, { ...to, Reference: `patient-${NUMBER}` }, 'first')
  const failed = await send(bench, { To: '233241200001', CallbackUrl: to.CallbackUrl }, 'second')
  const mention = await send(bench, { Content: `Please call +${NUMBER} or ${LONGER}.` })
  const scheduled = await schedule(bench, new Date(bench.now() + 30 * 24 * HOUR).toISOString(), to)
  await bench.advance(60_000)
  const walletId = await walletIdOf(bench, bench.demo.accountId)
  await bench.database.write(async (tx) => {
    const audit = createAudit(bench)
    await audit(tx, { actor: 'operator', action: 'carrier.test', detail: { recipient: NUMBER } })
    await insertRows(tx, tx.t.connections, [connection(bench, walletId)])
    await insertRows(tx, tx.t.connectorSends, [
      { ...SEND, id: 's', clientId: 'c', at: bench.clock.now(), key: `reminder-${NUMBER}` },
    ])
    await insertRows(tx, tx.t.carrierRefs, [
      {
        carrier: 'one',
        ref: '7',
        messageId: null,
        part: 0,
        parts: 1,
        verdict: 'failed',
        reason: `no route to ${NUMBER}`,
        at: bench.clock.now(),
      },
    ])
  })
  await leaveBytes(bench)
  return { bench, url, ticket, failed, mention, scheduled: scheduled.Ticket }
}

/** Stores rows with the number and deletes them, as housekeeping does: their bytes may stay in the file. */
async function leaveBytes({ database }: Bench): Promise<void> {
  await database.write(async (tx) => {
    const rows = Array.from({ length: 200 }, (_, seq) => ({
      ...SEND,
      id: `gone-${seq}`,
      clientId: 'gone',
      at: epochMs(1),
      key: `=${NUMBER}`,
    }))
    await insertRows(tx, tx.t.connectorSends, rows)
  })
  await database.write(({ run }) => run("DELETE FROM connector_sends WHERE client_id = 'gone'", []))
}

function connection({ demo: { accountId }, clock }: Bench, walletId: string) {
  return {
    id: 'k',
    accountId,
    personId: 'p',
    walletId,
    grantId: 'g',
    clientId: 'c',
    clientName: 'n',
    redirectHost: 'h',
    canSend: 1 as const,
    dailySpend: 0 as never,
    dailyMessages: 9,
    recipients: `${NUMBER} 23320*`,
    unasked: 'send' as const,
    day: 0,
    daySpend: 0 as never,
    dayMessages: 0,
    createdAt: clock.now(),
    lastUsedAt: 0,
    endedAt: 0,
  }
}

describe.each(['an SQLite file', 'PostgreSQL'] as const)('erasing a number on %s', (engine) => {
  it('keeps what else of a row is changed meanwhile', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const walletId = await walletIdOf(bench, bench.demo.accountId)
    await bench.database.write((tx) => insertRows(tx, tx.t.connections, [connection(bench, walletId)]))
    const change = () =>
      bench.database.write(({ run }) =>
        run("UPDATE connections SET recipients = $1 WHERE recipients LIKE '%23320*'", [`${NUMBER} 23324*`]),
      )
    await eraseNumber({ ...bench, database: changing(bench, change) }, NUMBER)
    const rows = await bench.database.read(({ run }) => run('SELECT recipients FROM connections', []))
    expect(rows).toEqual([{ recipients: 'erased 23324*' }])
  })

  it('leaves neither the number nor what was sent to it in any row or byte, and the books even', async () => {
    const { bench, url, ticket, scheduled, mention, failed } = await openFull(engine)
    const insights = () =>
      answerOf(bench.call('GET', '/v1/insights/delivery?GroupBy=network'), zDeliveryInsights)
    const ledger = () => answerOf(bench.call('GET', '/v1/account/ledger'), zLedgerPage)
    const before = {
      record: await recordOf(bench, ticket),
      insights: await insights(),
      ledger: await ledger(),
    }
    expect(await tablesWith(bench.database, NUMBER)).toEqual([
      'audit',
      'callback_attempts',
      'callbacks',
      'carrier_refs',
      'connections',
      'connector_sends',
      'idempotency',
      'messages',
    ])

    const erased = await erase(bench)

    expect(erased).toMatchObject({ cancelled: 1, underWay: 0 })
    expect(erased.removed).toMatchObject({ messages: 4, callbacks: 3, audit: 1, connections: 1 })
    expect((await recordOf(bench, mention)).Content).toBe(`Please call erased or ${LONGER}.`)
    expect(await tablesWith(bench.database, `${NUMBER}"`, `${NUMBER} `, TEXT, `to=${NUMBER}`)).toEqual([])
    expect(await recordOf(bench, ticket)).toEqual({
      ...before.record,
      To: 'erased',
      Content: 'erased',
      Reference: '',
    })
    expect((await recordOf(bench, scheduled)).Status).toBe('cancelled')
    expect((await recordOf(bench, failed)).To).toBe('233241200001')
    const found = await answerOf(bench.call('GET', `/v1/messages?To=${NUMBER}`), zMessagePage)
    expect(found.Items).toEqual([])
    expect((await insights()).Totals).toEqual(before.insights.Totals)
    expect(await ledger()).toEqual(before.ledger)
    expect(await booksBalance(bench.database)).toBe(true)
    const { Items } = await answerOf(bench.call('GET', '/v1/callbacks'), zCallbackPage)
    expect(Items.map(({ Ticket }) => Ticket)).toEqual([failed])
    await bench.stop()
    const fail = (error: Error) => {
      throw error
    }
    await clearDeleted({ url, postgresConnections: 3, onFatal: fail, onIdleError: () => {} })
    const path = fileOf(url)
    if (path) expect(textsInFiles(path, `=${NUMBER}`, `-${NUMBER}`, `"${NUMBER}"`, TEXT)).toEqual([])
  })

  it('writes an audit entry that tells numbers apart, and holds none', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await erase(bench)
    await erase(bench)
    await erase(bench, '233249876549')
    const rows = await bench.database.read(({ run }) =>
      run<{ detail: string }>("SELECT detail FROM audit WHERE action = 'number.erase' ORDER BY id", []),
    )
    const marks = rows.map(({ detail }) => (JSON.parse(detail) as { number: string }).number)
    expect(marks[0]).toMatch(/^[0-9a-f]{16}$/)
    expect(marks[0]).toBe(marks[1])
    expect(marks[2]).not.toBe(marks[0])
    expect(await tablesWith(bench.database, NUMBER)).toEqual([])
  })

  it('leaves a message that is under way as it is, and erases it once it is final', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const pending = '233241200005'
    const ticket = await send(bench, { To: pending, Content: TEXT })
    await bench.advance(5_000)
    expect(await erase(bench, pending)).toMatchObject({ underWay: 1, removed: {} })
    expect((await recordOf(bench, ticket)).To).toBe(pending)
    await bench.tell(ticket as never, 'success')
    await bench.advance(1_000)
    expect((await recordOf(bench, ticket)).Status).toBe('success')
    expect(await erase(bench, pending)).toMatchObject({ underWay: 0, removed: { messages: 1 } })
    expect(await tablesWith(bench.database, pending, TEXT)).toEqual([])
    expect(await booksBalance(bench.database)).toBe(true)
  })

  it.each([
    ['2330249876541', NUMBER],
    [NUMBER, '2330249876541'],
  ])('erases what was sent to %s when it is told %s, and what mentions either', async (written, told) => {
    const bench = await openBench({ database: await aPlace(engine) })
    const ticket = await send(bench, { To: written, Content: TEXT, Reference: `patient-${written}` }, 'once')
    const mention = await send(bench, { Content: `Call +2330249876541 or 00${NUMBER}, not 0${LONGER}.` })
    const scheduled = await schedule(bench, new Date(bench.now() + HOUR).toISOString(), { To: written })
    await bench.advance(5_000)
    expect(await erase(bench, told)).toMatchObject({ cancelled: 1, underWay: 0, removed: { messages: 3 } })
    expect(await recordOf(bench, ticket)).toMatchObject({ To: 'erased', Content: 'erased', Reference: '' })
    expect((await recordOf(bench, scheduled.Ticket)).To).toBe('erased')
    expect((await recordOf(bench, mention)).Content).toBe(`Call erased or erased, not 0${LONGER}.`)
    expect(await tablesWith(bench.database, written, told, TEXT)).toEqual(['messages'])
  })

  it('repeats the answer of a send that carried a key, so that it is not sent again', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const ticket = await send(bench, { To: NUMBER }, 'once')
    await bench.advance(5_000)
    await erase(bench)
    expect(await send(bench, { To: NUMBER }, 'once')).toBe(ticket)
  })
})
