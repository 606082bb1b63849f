import { micros } from '@wigwag/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { type Begun, type Open, takeBackAccount } from '../../src/operate/cells/index.ts'
import { inspect } from '../../src/operate/doctor/index.ts'
import { insertRows } from '../../src/store/rows.ts'
import { checkStandings } from '../support/books.ts'
import { call, SINGLE, single } from '../support/front.ts'
import {
  AN_HOUR,
  amountIn,
  askedToComeAgain,
  balanceAt,
  callbacksLater,
  change,
  count,
  giveReceipt,
  idsOf,
  isActive,
  postedIn,
  rows,
  sendOpen,
  statusOf,
  ticketOf,
  underWay,
  usedAccount,
} from './accounts.ts'
import {
  beforeWrites,
  breaking,
  clock,
  letArrive,
  move,
  type Served,
  shareCells,
  soon,
  tablesWith,
} from './cells.ts'

let one: Served
let two: Served
beforeAll(async () => {
  ;({ one, two } = await shareCells())
})

/** Has an account told of something, as if a look had told it already, and a key used from somewhere. */
async function chooseAlerts({ cell }: Served, accountId: string): Promise<void> {
  await cell.database.write(async (tx) => {
    const alert = { accountId, seenAt: epochMs(1), toldAt: epochMs(1), goneAt: null, overAt: null }
    await insertRows(tx, tx.t.alertChoices, [{ accountId, kind: 'address', amount: null }])
    await insertRows(tx, tx.t.accountAlerts, [
      { ...alert, id: `told-${accountId}`, key: 'address:k:192.0.2.1', text: 'From 192.0.2.1.' },
    ])
    await tx.run(
      `INSERT INTO key_addresses (key_id, address, account_id, used_at)
       SELECT id, '192.0.2.1', account_id, 1 FROM keys WHERE account_id = $1`,
      [accountId],
    )
  })
}

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
    const { account, first } = await usedAccount(one, 'moves')
    const { accountId } = account
    await one.cell.people.invite(accountId, 'viewer@moves.example', 'viewer')
    await chooseAlerts(one, accountId)
    const ids = await idsOf(one, account)
    const before = await balanceAt(one, account)
    const there = await tablesWith(one.cell.database, ids)

    const moved = await letArrive('moves@example.com', one.cell, two.cell)
    expect(moved.comparison?.same).toBe(true)
    await askedToComeAgain(one, account)
    expect((await letArrive('moves@example.com', one.cell, two.cell)).state).toBe('left')
    expect(moved.comparison?.books.find(({ what }) => what === 'in wallets')?.from).toBeGreaterThan(0)
    expect(moved).toMatchObject({ accountId, clientIds: [account.clientId], invited: [] })

    await soon('it is forgotten', async () => (await balanceAt(one, account)).status === 401)
    expect(amountIn(await balanceAt(two, account))).toBe(amountIn(before))
    const again = await call(two.front.url, account, {
      path: SINGLE,
      body: { ...single(), Reference: 'first' },
      key: 'moves-first',
    })
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first, 'true'])
    const sent = await call(two.front.url, account, { path: SINGLE, body: single() })
    expect(sent.status).toBe(200)
    await soon('it is delivered', async () => (await underWay(two, account)) === 0)

    // All moved rows are gone from the first cell.
    const expected = there.filter(
      (name) => !['audit_failures', 'carrier_refs', 'portal_sessions', 'settings', 'traces'].includes(name),
    )
    expect(await tablesWith(two.cell.database, ids)).toEqual(expected)
    for (const name of ['callback_attempts', 'account_alerts', 'alert_choices', 'key_addresses'])
      expect(expected).toContain(name)
    expect(await tablesWith(one.cell.database, ids)).toEqual(['audit'])
    const left = await rows(one, 'SELECT action, detail FROM audit WHERE account_id = $1', accountId)
    expect(left).toEqual([{ action: 'account.leave', detail: '{"to":"two"}' }])
    for (const { cell } of [one, two]) await checkStandings(cell.database)
    await expect(move(accountId, one.cell, two.cell)).rejects.toThrow(/is in two already/)
  })

  it('waits in its cell until all that it sent and scheduled has ended there', async () => {
    const { account } = await usedAccount(one, 'waits')
    const open = await sendOpen(one, account)
    const waits: Open[] = []
    let begun: Begun | undefined
    const moving = letArrive(account.accountId, one.cell, two.cell, {
      onBegin(now) {
        begun = now
      },
      onWait: (now) => void waits.push(now),
    })
    await soon('it waits', async () => waits.length > 0)
    expect(begun?.open).toMatchObject({ underWay: 1, scheduled: 1 })
    expect(waits[0]).toMatchObject({ underWay: 1, scheduled: 1, callbacks: 0, events: 0 })
    expect(waits[0]?.lastDueAt).toBeGreaterThan(clock.now())
    expect(waits[0]?.endsBy).toBeGreaterThan(waits[0]?.lastDueAt ?? 0)
    await askedToComeAgain(one, account)
    for (const { cell, url } of [one, two]) {
      const findings = await inspect(cell.database, loadConfig({ database: url }, {}), { quick: true })
      expect(findings).toContainEqual(
        expect.objectContaining({
          check: 'move',
          state: 'warn',
          detail: expect.stringMatching(/ is moving from one to two and can't send: finish that/),
        }),
      )
    }
    await change(one, 'UPDATE outbox SET run_at = 0 WHERE id = $1', open.scheduled)
    await soon('it was sent', async () => (await statusOf(one, open.scheduled)) === 'success')
    expect(await tablesWith(two.cell.database, [open.silent])).toEqual([])
    await giveReceipt(one, open.silent)
    expect((await moving).state).toBe('arrived')
    await letArrive(account.accountId, one.cell, two.cell)
    for (const ticket of Object.values(open)) expect(await statusOf(two, ticket)).toBe('success')
    for (const { cell } of [one, two]) await checkStandings(cell.database)
  })

  it('does not wait for days until what it scheduled is due, but cancels it if that is wanted', async () => {
    const { account } = await usedAccount(one, 'later')
    const before = await postedIn(one, account)
    const { silent, scheduled } = await sendOpen(one, account, clock.now() + 72 * AN_HOUR)
    await giveReceipt(one, silent)
    await expect(move(account.accountId, one.cell, two.cell)).rejects.toThrow(
      /of 1 the last for 20\S+Z, and would be suspended until then: .*--cancel-scheduled/,
    )
    expect((await balanceAt(one, account)).status).toBe(200)
    await move(account.accountId, one.cell, two.cell, { cancelsScheduled: true })
    expect([await statusOf(two, silent), await statusOf(two, scheduled)]).toEqual(['success', 'cancelled'])
    expect(await postedIn(two, account)).toBeLessThan(before ?? 0)
    await checkStandings(two.cell.database)
  })

  it('takes along the callbacks that nobody has taken, and the other cell alone posts them', async () => {
    const { account } = await usedAccount(one, 'posts')
    await letArrive(account.accountId, one.cell, two.cell)
    expect(await count(one, "outbox WHERE kind = 'callback' AND owner = $1", account)).toBe(0)
    await soon('two has tried it', async () => (await callbacksLater(two, account)) === 1)
    const attempts = await rows<{ seq: number }>(
      two,
      'SELECT a.seq FROM callback_attempts a JOIN callbacks c ON c.id = a.callback_id WHERE c.account_id = $1 ORDER BY 1',
      account.accountId,
    )
    expect(attempts.length).toBeGreaterThan(1)
    await letArrive(account.accountId, one.cell, two.cell)
  })

  it('takes along what a gateway let in late, and lets nothing in after that', async () => {
    const { account } = await usedAccount(one, 'late')
    const { accountId } = account
    let compared = 0
    let sent: string | undefined
    // As a gateway that was stopped, and goes on when both sides were compared.
    const source = beforeWrites(one.cell, async () => {
      if (compared !== 1 || sent !== undefined) return
      await change(one, "UPDATE accounts SET status = 'active' WHERE id = $1", accountId)
      await soon('it is let in', async () => {
        const answer = await call(one.front.url, account, { path: SINGLE, body: single() })
        if (answer.status === 200) sent = ticketOf(answer)
        return sent !== undefined
      })
      await change(one, "UPDATE accounts SET status = 'suspended' WHERE id = $1", accountId)
    })
    const moved = await letArrive(accountId, source, two.cell, { onCompared: () => void compared++ })
    expect([moved.state, compared]).toEqual(['arrived', 2])
    expect(await statusOf(two, sent ?? '')).toBe('success')
    expect(await postedIn(one, account)).toBe(0)

    await change(one, "UPDATE accounts SET status = 'active' WHERE id = $1", accountId)
    await soon('it is let in', async () => (await balanceAt(one, account)).status === 200)
    const refused = await call(one.front.url, account, { path: SINGLE, body: single() })
    expect(refused.status).toBe(402)
    await change(one, "UPDATE accounts SET status = 'suspended' WHERE id = $1", accountId)
    expect((await letArrive(accountId, one.cell, two.cell)).state).toBe('left')
    for (const { cell } of [one, two]) await checkStandings(cell.database)
  })

  it('is not deleted where it was while money or messages of it are there', async () => {
    const { account } = await usedAccount(one, 'left-over')
    await letArrive(account.accountId, one.cell, two.cell)
    await change(one, 'UPDATE wallets SET posted = 1 WHERE account_id = $1', account.accountId)
    await expect(letArrive(account.accountId, one.cell, two.cell)).rejects.toThrow(
      /has money or messages in one that came after it had left: nothing was deleted/,
    )
    expect(await postedIn(one, account)).toBe(1)
    await change(one, 'UPDATE wallets SET posted = 0 WHERE account_id = $1', account.accountId)
    expect((await letArrive(account.accountId, one.cell, two.cell)).state).toBe('left')
  })

  it('stays where it is when the move is taken back', async () => {
    const { account } = await usedAccount(one, 'back')
    const { accountId } = account
    const ids = await idsOf(one, account)
    const broken = move(accountId, one.cell, two.cell, {
      onStep(what) {
        if (what === 'rows compared') throw new Error('broken off')
      },
    })
    await expect(broken).rejects.toThrow('broken off')
    await takeBackAccount({ source: one.cell, target: two.cell, account: accountId })
    expect(await tablesWith(two.cell.database, ids)).toEqual([])
    const sent = await call(one.front.url, account, { path: SINGLE, body: single() })
    expect(sent.status).toBe(200)
    await soon('it is delivered', async () => (await underWay(one, account)) === 0)
    await one.cell.operator.credit(accountId, micros(1_000_000))
  })

  it('is taken back while a command waits for it, which ends then', async () => {
    const { account } = await usedAccount(one, 'recalled')
    const { accountId } = account
    await sendOpen(one, account)
    let waits = 0
    const waiting = letArrive(accountId, one.cell, two.cell, { onWait: () => void waits++ })
    const ended = expect(waiting).rejects.toThrow(
      /another command goes on .*, or has taken it back: this one ends/,
    )
    await soon('it waits', async () => waits > 0)
    await takeBackAccount({ source: one.cell, target: two.cell, account: accountId })
    await ended
    const there = await tablesWith(two.cell.database, [accountId])
    expect([await isActive(one, account), there]).toEqual([true, []])
  })

  it('is moved by the last command alone that was called for it', async () => {
    const { account } = await usedAccount(one, 'twice')
    const { accountId } = account
    const held = Promise.withResolvers<void>()
    const compares = Promise.withResolvers<void>()
    const first = letArrive(accountId, one.cell, two.cell, {
      onStep(what) {
        if (what !== 'rows compared') return
        compares.resolve()
        return held.promise
      },
    })
    await compares.promise
    const { state } = await letArrive(accountId, one.cell, two.cell)
    held.resolve()
    await expect(first).rejects.toThrow(/another command goes on/)
    expect([state, await isActive(two, account)]).toEqual(['arrived', true])
    await letArrive(accountId, one.cell, two.cell)
    await checkStandings(two.cell.database)
  })

  it('is in one cell alone wherever its move breaks off, and can be gone on with', async () => {
    const { account } = await usedAccount(one, 'breaks')
    const { accountId } = account
    const before = await postedIn(one, account)
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
      const active = await Promise.all([one, two].map((cell) => isActive(cell, account)))
      expect(active.filter(Boolean).length).toBeLessThanOrEqual(1)
    }
    expect(breaks).toBeGreaterThan(20)
    expect((await balanceAt(two, account)).status).toBe(200)
    expect(await postedIn(two, account)).toBe(before)
    for (const { cell } of [one, two]) await checkStandings(cell.database)
  })

  it('comes back to a cell that it has left', async () => {
    const { account } = await usedAccount(one, 'again')
    await move(account.accountId, one.cell, two.cell)
    await move(account.accountId, two.cell, one.cell)
    const logged = await rows(
      one,
      "SELECT action FROM audit WHERE account_id = $1 AND action IN ('account.leave', 'account.arrive') ORDER BY id",
      account.accountId,
    )
    expect(logged).toEqual(['leave', 'arrive', 'arrive'].map((what) => ({ action: `account.${what}` })))
  })
})
