import { micros } from '@wigwag/contract'
import { zMessagePage } from '@wigwag/contract/validators'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EpochMs, epochMs } from '../../src/kernel/ids.ts'
import { isFinal, STATUSES } from '../../src/kernel/message.ts'
import type { MessageRow } from '../../src/messages/messages.ts'
import { recipientKey, senderKey } from '../../src/messages/search-keys.ts'
import { walletsOf } from '../../src/money/wallets.ts'
import { insertRows } from '../../src/store/rows.ts'
import { answerOf } from '../isolation/requests.ts'
import { aPlace, type Bench, ENGINES, openBench, START } from '../support/bench.ts'
import { messageRow, type Wallet } from './message-rows.ts'

const SENDERS = ['WIGWAG', 'Shop', '12345']
const REFERENCES = ['', 'order-1042', 'ORDER-1042', 'order-10', 'Bestellung 7/é']
const RECIPIENTS = ['233241234567', '2330241234567', '233201234567', '447400123456', '233241200005']
/** Nobody searches for this one. */
const UNASKED = '233249999999'
const SPAN = 40
const MOST_FOUND = 2_000

/** Few values of each kind, so that filters meet and times coincide. */
const row = fc.record({
  createdAt: fc.integer({ min: 0, max: SPAN }).map((step) => epochMs(START - step * 1_000)),
  status: fc.constantFrom(...STATUSES),
  sender: fc.constantFrom(...SENDERS),
  recipient: fc.constantFrom(...RECIPIENTS),
  reference: fc.constantFrom(...REFERENCES),
})
const time = fc.integer({ min: -2, max: SPAN + 2 }).map((step) => START - step * 1_000)
const filter = fc.record(
  {
    DateFrom: time,
    DateTo: time,
    Status: fc.constantFrom(...STATUSES),
    To: fc.constantFrom(...RECIPIENTS, '233241234568'),
    From: fc.constantFrom(...SENDERS, 'Nobody'),
    Reference: fc.constantFrom(...REFERENCES.filter((reference) => reference !== ''), 'order-1'),
  },
  { requiredKeys: [] },
)
type Filter = typeof filter extends fc.Arbitrary<infer F> ? F : never

/** One phone has its number written in two ways. */
const spelled = (number: string) => number.replace(/^2330/, '233')

/** The plain meaning of a search, without indexes and pages. */
function plainly(rows: readonly MessageRow[], wallet: Wallet, wanted: Filter): string[] {
  const { DateFrom, DateTo, Status, To, From, Reference } = wanted
  return rows
    .filter((row) => row.walletId === wallet.id)
    .filter((row) => DateFrom === undefined || row.createdAt >= DateFrom)
    .filter((row) => DateTo === undefined || row.createdAt < DateTo)
    .filter((row) => Status === undefined || row.status === Status)
    .filter((row) => To === undefined || spelled(row.recipient) === spelled(To))
    .filter((row) => From === undefined || row.sender === From)
    .filter((row) => Reference === undefined || row.reference === Reference)
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id)
}

/** An offset that says the same time in other words. */
function written(at: number, minutes: number): string {
  const sign = minutes < 0 ? '-' : '+'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const pad = (n: number) => String(n).padStart(2, '0')
  return new Date(at + minutes * 60_000).toISOString().replace('Z', `${sign}${pad(hours)}:${pad(rest)}`)
}

function queryOf({ DateFrom, DateTo, ...rest }: Filter, minutes: number): Record<string, string> {
  return {
    ...rest,
    ...(DateFrom === undefined ? {} : { DateFrom: written(DateFrom, minutes) }),
    ...(DateTo === undefined ? {} : { DateTo: written(DateTo, minutes) }),
  }
}

async function walletOf(bench: Bench, accountId: string): Promise<Wallet> {
  const [wallet] = await bench.database.read((tx) => walletsOf(tx, accountId))
  if (!wallet) throw new Error('an account has a wallet')
  return wallet
}

/** Two wallets' messages. Some have the key of another recipient or wallet, as a digest allows. */
async function populate(bench: Bench): Promise<{ wallet: Wallet; rows: MessageRow[] }> {
  const { accountId } = bench.demo
  for (const sender of SENDERS) await bench.operator.setSender(accountId, sender, 'approved')
  const other = await bench.operator.createAccount({
    name: 'Other',
    email: 'other@wigwag.dev',
    currency: 'GHS',
    balance: micros(0),
    senders: SENDERS,
  })
  const [wallet, others] = [await walletOf(bench, accountId), await walletOf(bench, other.accountId)]
  const [clashing = ''] = RECIPIENTS
  const clash = (run: number, { sender, status }: Pick<MessageRow, 'sender' | 'status'>) =>
    isFinal(status)
      ? {
          recipientKey: recipientKey(run, wallet.id, clashing),
          senderKey: senderKey(wallet.id, sender, status),
        }
      : {}
  const rows = fc.sample(row, 400).map((fields, index) => {
    const run = 1 + (index % 7)
    const ended = messageRow(wallet, fields, run)
    const { recipientKey: key } = ended
    if (index % 4 === 0) return { ...messageRow(others, fields), ...clash(run, fields) }
    if (index % 4 === 1) return { ...ended, recipient: UNASKED, ...clash(run, fields) }
    if (index % 4 === 2) {
      const recipient = spelled(fields.recipient)
      return { ...ended, recipient, recipientKey: key && recipientKey(run, wallet.id, recipient) }
    }
    return ended
  })
  await bench.database.write((tx) => insertRows(tx, tx.t.messages, rows))
  return { wallet, rows }
}

async function pageThrough(
  { call }: Bench,
  query: Record<string, string>,
  between: () => Promise<void>,
): Promise<string[]> {
  const ids: string[] = []
  let cursor: { Cursor?: string } = {}
  for (;;) {
    const response = call('GET', `/v1/messages?${new URLSearchParams({ ...query, ...cursor })}`)
    const { Items, NextCursor } = await answerOf(response, zMessagePage)
    expect(Items.length).toBeLessThanOrEqual(Number(query.Limit))
    if (NextCursor !== undefined) expect(Items).toHaveLength(Number(query.Limit))
    ids.push(...Items.map(({ MessageId }) => MessageId))
    if (ids.length > MOST_FOUND) throw new Error('the pages do not come to an end')
    if (NextCursor === undefined) return ids
    cursor = { Cursor: NextCursor }
    await between()
  }
}

describe.each(ENGINES)('a search on %s', (engine) => {
  it('finds what matches all filters, newest first, in pages that neither skip nor repeat', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const { wallet, rows } = await populate(bench)
    let newest = START as EpochMs
    const limit = fc.integer({ min: 9, max: 90 })
    const minutes = fc.integer({ min: -14 * 60, max: 14 * 60 })
    await fc.assert(
      fc.asyncProperty(filter, limit, minutes, row, async (wanted, Limit, offset, arriving) => {
        const expected = plainly(rows, wallet, wanted)
        const query = { ...queryOf(wanted, offset), Limit: String(Limit) }
        let arrivals = 0
        const found = await pageThrough(bench, query, async () => {
          if (++arrivals > 2) return
          const late = messageRow(wallet, { ...arriving, createdAt: newest })
          newest = epochMs(newest + 1)
          rows.push(late)
          await bench.database.write((tx) => insertRows(tx, tx.t.messages, [late]))
        })
        expect(found).toEqual(expected)
      }),
      { numRuns: engine === 'PostgreSQL' ? 60 : 120 },
    )
  })
})
