import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { bringReceipts, takeBackAccount } from '../../src/cells/index.ts'
import { loadConfig } from '../../src/config.ts'
import { inspect } from '../../src/doctor/index.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { SCHEDULED } from '../isolation/scheduling.ts'
import { checkStandings } from '../support/books.ts'
import { eventually } from '../support/eventually.ts'
import { BALANCE, BULK, bulk, call, SINGLE, single } from '../support/front.ts'
import { joinAs } from '../support/people.ts'
import { breaking, letArrive, move, type Served, shareCells, tablesWith } from './cells.ts'

let one: Served
let two: Served
beforeAll(async () => {
  ;({ one, two } = await shareCells())
})

/** By this number a simulated phone never says whether it got the message. */
const SILENT = '233241200005'
const AN_HOUR = 3_600_000

/** An account that has sent, sends and will send. */
async function busyAccount(name: string, { sendAt = Date.now() + AN_HOUR } = {}) {
  const account = await one.front.account(name, 1_000_000_000)
  const ask = (body: object, key: string, path = SINGLE) =>
    call(one.front.url, account, { path, body, key: `${name}-${key}` })
  const first = await ask({ ...single(), Reference: 'first' }, 'first')
  await ask(bulk(['233241234567', '233241200001', '233241200004']), 'bulk', BULK)
  const silent = await ask({ ...single(SILENT), Reference: 'silent' }, 'silent')
  // A receiver that is not there: the callback is tried again and again.
  await ask({ ...single(), CallbackUrl: 'http://127.0.0.1:9/' }, 'callback')
  const SendAt = new Date(sendAt).toISOString()
  const scheduled = await ask({ ...single(), SendAt }, 'scheduled', SCHEDULED)
  expect([first, silent, scheduled].map(({ status }) => status)).toEqual([200, 200, 200])
  const ticketOf = ({ text }: { text: string }): string => JSON.parse(text).Ticket
  const tickets = { first: ticketOf(first), silent: ticketOf(silent), scheduled: ticketOf(scheduled) }
  await eventually('all but two are final', async () => (await open(one, account)) === 2)
  return { account, first: first.text, tickets }
}

async function rows<T extends object>(database: Database, text: string, ...values: string[]): Promise<T[]> {
  return database.read(({ run }) => run<T>(text, values))
}

async function open({ cell }: Served, { accountId }: AccountSecrets): Promise<number> {
  const [row] = await rows<{ n: number }>(
    cell.database,
    'SELECT count(*) AS n FROM messages WHERE account_id = $1 AND sender_key IS NULL',
    accountId,
  )
  return row?.n ?? 0
}

async function statusOf({ cell }: Served, ticket: string): Promise<string | undefined> {
  const [row] = await rows<{ status: string }>(
    cell.database,
    'SELECT status FROM messages WHERE id = $1',
    ticket,
  )
  return row?.status
}

async function idsOf({ cell: { database } }: Served, { accountId, clientId }: AccountSecrets) {
  const own = await rows<{ id: string }>(
    database,
    `SELECT id FROM wallets WHERE account_id = $1 UNION ALL SELECT id FROM messages WHERE account_id = $2
     UNION ALL SELECT id FROM callbacks WHERE account_id = $3 UNION ALL SELECT person_id FROM memberships WHERE account_id = $4`,
    ...[accountId, accountId, accountId, accountId],
  )
  return [accountId, clientId, ...own.map(({ id }) => id)]
}

const balanceAt = ({ front }: Served, account: AccountSecrets) => call(front.url, account, { path: BALANCE })
const amountIn = ({ text }: { text: string }): number => JSON.parse(text).balance

describe('an account', () => {
  it('has the name of its cell in its client ID and its tokens, the demo and new ones too', async () => {
    const account = await one.front.account('named', 0)
    expect(account.clientId).toMatch(/^wc_one\.[\w-]{16}$/)
    expect(account.walletToken).toMatch(/^wt_one\.[\w-]{43}$/)
    expect(two.front.gateway.demo?.clientId).toMatch(/^wc_two\./)
    const { walletToken } = await one.cell.operator.rotateWalletToken(account.accountId)
    expect(walletToken).toMatch(/^wt_one\./)
  })

  it('moves with its money, its messages and its keys, and is gone where it was', async () => {
    const { account, first, tickets } = await busyAccount('moves')
    const { accountId } = account
    await joinAs(one.front, accountId, { email: 'viewer@example.com', role: 'viewer' })
    const ids = await idsOf(one, account)
    const before = await balanceAt(one, account)
    const there = await tablesWith(one.cell.database, ids)

    const moved = await letArrive('moves@example.com', one.cell, two.cell)
    expect(moved.comparison?.same).toBe(true)
    const behind = await call(one.front.url, account, { path: SINGLE, body: single() })
    expect([behind.status, behind.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await letArrive('moves@example.com', one.cell, two.cell)).state).toBe('left')
    expect(moved.comparison?.books.find(({ what }) => what === 'in wallets')?.from).toBeGreaterThan(0)
    expect(moved).toMatchObject({ accountId, clientIds: [account.clientId], receiptsToCome: 1 })

    await eventually('it is forgotten', async () => (await balanceAt(one, account)).status === 401)
    expect(amountIn(await balanceAt(two, account))).toBe(amountIn(before))
    const again = await call(two.front.url, account, {
      ...{ path: SINGLE, body: { ...single(), Reference: 'first' }, key: 'moves-first' },
    })
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first, 'true'])
    expect(await statusOf(two, tickets.scheduled)).toBe('scheduled')
    const sent = await call(two.front.url, account, { path: SINGLE, body: single() })
    expect(sent.status).toBe(200)
    await eventually('it is delivered', async () => (await open(two, account)) === 2)

    // What went, went from there.
    const expected = there.filter(
      (name) => !['audit_failures', 'portal_sessions', 'settings', 'traces'].includes(name),
    )
    expect(await tablesWith(two.cell.database, ids)).toEqual(expected)
    expect(expected).toContain('callback_attempts')
    expect(await tablesWith(one.cell.database, ids)).toEqual(['audit'])
    const left = await rows(
      one.cell.database,
      'SELECT action, detail FROM audit WHERE account_id = $1',
      accountId,
    )
    expect(left).toEqual([{ action: 'account.leave', detail: '{"to":"two"}' }])
    for (const { cell } of [one, two]) await checkStandings(cell.database)
    await expect(move(accountId, one.cell, two.cell)).rejects.toThrow(/is in two already/)
  })

  it('gets the receipts that come to the cell which it left', async () => {
    const { account, tickets } = await busyAccount('receipts')
    const [ref] = await rows<{ carrier: string; ref: string }>(
      one.cell.database,
      'SELECT carrier, ref FROM carrier_refs WHERE message_id = $1',
      tickets.silent,
    )
    if (!ref) throw new Error('the carrier gave a reference')
    await move(account.accountId, one.cell, two.cell)
    await one.cell.database.write(({ run }) =>
      run(
        `INSERT INTO carrier_refs (carrier, ref, verdict, at, part, parts)
         VALUES ($1, $2, 'success', $3, 0, 1), ('simulator', 'of nobody', 'success', 1, 0, 1)`,
        [ref.carrier, ref.ref, Date.now()],
      ),
    )
    expect(await bringReceipts({ source: one.cell, target: two.cell })).toBe(1)
    expect(await statusOf(two, tickets.silent)).toBe('success')
    expect(await bringReceipts({ source: one.cell, target: two.cell })).toBe(0)
    await checkStandings(two.cell.database)
  })

  it('is sent for at one place alone what falls due while it moves', async () => {
    const soon = Date.now() + 6_000
    const { account, tickets } = await busyAccount('due', { sendAt: soon })
    await move(account.accountId, one.cell, two.cell, async () => {
      await eventually('it is due', async () => Date.now() > soon + 1_000)
      expect(await statusOf(one, tickets.scheduled)).toBe('scheduled')
    })
    await eventually('it is sent', async () => (await statusOf(two, tickets.scheduled)) === 'success')
  })

  it('stays where it is when the move is taken back, and gets what came meanwhile', async () => {
    const { account, tickets } = await busyAccount('back')
    const { accountId } = account
    const [ref] = await rows<{ carrier: string; ref: string }>(
      one.cell.database,
      'SELECT carrier, ref FROM carrier_refs WHERE message_id = $1',
      tickets.silent,
    )
    const ids = await idsOf(one, account)
    const broken = move(accountId, one.cell, two.cell, (what) => {
      if (what === 'rows compared') throw new Error('broken off')
    })
    await expect(broken).rejects.toThrow('broken off')
    for (const { front, cell, url } of [one, two]) {
      const config = loadConfig({ database: url }, {})
      expect(await inspect(cell.database, config, { quick: true })).toContainEqual({
        check: 'move',
        state: 'warn',
        detail: expect.stringMatching(/is moving from one to two and can't send: finish it/),
      })
      expect((await call(front.url, account, { path: SINGLE, body: single() })).status).toBe(503)
      await expect(cell.operator.setStatus(accountId, 'active')).rejects.toThrow(
        /is moving from one to two: finish it/,
      )
    }
    await one.cell.database.write(({ run }) =>
      run(
        `INSERT INTO carrier_refs (carrier, ref, verdict, at, part, parts) VALUES ($1, $2, 'undelivered', $3, 0, 1)`,
        [ref?.carrier ?? '', ref?.ref ?? '', Date.now()],
      ),
    )
    await takeBackAccount({ source: one.cell, target: two.cell, account: accountId })
    expect(await statusOf(one, tickets.silent)).toBe('undelivered')
    expect(await tablesWith(two.cell.database, ids)).toEqual([])
    const sent = await call(one.front.url, account, { path: SINGLE, body: single() })
    expect(sent.status).toBe(200)
    await eventually('it is delivered', async () => (await open(one, account)) === 1)
    const lanes = await rows(one.cell.database, `SELECT lane FROM outbox WHERE lane LIKE '%/%'`)
    expect(lanes).toEqual([])
  })

  it('is in one cell alone wherever its move breaks off, and can be gone on with', async () => {
    const { account, tickets } = await busyAccount('breaks')
    const { accountId } = account
    const before = await one.cell.database.read(({ run }) =>
      run<{ posted: number }>('SELECT posted FROM wallets WHERE account_id = $1', [accountId]),
    )
    let breaks = 0
    for (let done = false; !done; breaks++) {
      const writes = { left: breaks }
      const cells = [breaking(one.cell, writes), breaking(two.cell, writes)] as const
      done = await move(accountId, ...cells).then(
        () => true,
        (error: unknown) => {
          // The last writes were made: it has left already.
          if (/is in two already/.test(String(error))) return true
          expect(String(error)).toContain('broken off')
          return false
        },
      )
      const answers = await Promise.all([one, two].map((cell) => balanceAt(cell, account)))
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    }
    expect(breaks).toBeGreaterThan(20)
    expect((await balanceAt(two, account)).status).toBe(200)
    const after = await rows(two.cell.database, 'SELECT posted FROM wallets WHERE account_id = $1', accountId)
    expect(after).toEqual(before)
    expect(await statusOf(two, tickets.scheduled)).toBe('scheduled')
    for (const { cell } of [one, two]) await checkStandings(cell.database)
  })

  it('brings people along who are known there, as who they are there', async () => {
    const { account } = await busyAccount('people')
    await two.front.account('other', 0)
    await joinAs(two.front, 'other@example.com', { email: 'both@example.com', role: 'viewer' })
    await joinAs(one.front, account.accountId, { email: 'both@example.com', role: 'sender' })
    await move(account.accountId, one.cell, two.cell)
    const people = await rows(
      two.cell.database,
      `SELECT p.email, m.role, (SELECT count(*) FROM memberships o WHERE o.person_id = p.id) AS accounts
       FROM memberships m JOIN people p ON p.id = m.person_id WHERE m.account_id = $1 ORDER BY 1`,
      account.accountId,
    )
    expect(people).toEqual([
      { email: 'both@example.com', role: 'sender', accounts: 2 },
      { email: 'people@example.com', role: 'owner', accounts: 1 },
    ])
  })
})

describe('a move is refused before anything is changed', () => {
  let account: AccountSecrets
  beforeAll(async () => {
    account = await one.front.account('refused', 5)
  })

  async function expectRefused(source: Served, target: Served, message: RegExp): Promise<void> {
    await expect(move(account.accountId, source.cell, target.cell)).rejects.toThrow(message)
    expect((await balanceAt(one, account)).status).toBe(200)
  }

  it('into its own cell', () => expectRefused(one, one, /expected two cells, got one twice/))

  it('of an account that is not there', () => expectRefused(two, one, /is in one already/))

  it('where another account has the address', async () => {
    await two.front.account('refused', 0)
    await expectRefused(one, two, /two has another account for refused@example.com, /)
  })

  it('into a database of another kind', async () => {
    const set = (kind: string) =>
      two.cell.database.write(({ run }) =>
        run("UPDATE settings SET value = $1 WHERE name = 'environment'", [kind]),
      )
    await set('production')
    await expectRefused(one, two, /one, which is sandbox, and two, which is production/)
    await set('sandbox')
  })

  it('without prices in its currency', async () => {
    account = await one.front.account('priceless', 5)
    await one.cell.database.write(({ run }) =>
      run("UPDATE wallets SET currency = 'XOF' WHERE account_id = $1", [account.accountId]),
    )
    await expectRefused(one, two, /two has no prices in XOF: import them first with wigwag rates import/)
  })
})
