import { micros } from '@wigwag/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { type Begun, type Open, takeBackAccount } from '../../src/cells/index.ts'
import { loadConfig } from '../../src/config.ts'
import { inspect } from '../../src/doctor/index.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { createEraseAccount } from '../../src/privacy/index.ts'
import { SCHEDULED } from '../isolation/scheduling.ts'
import { checkStandings } from '../support/books.ts'
import { eventually } from '../support/eventually.ts'
import { BALANCE, BULK, bulk, call, SINGLE, single } from '../support/front.ts'
import { beforeWrites, breaking, letArrive, move, type Served, shareCells, tablesWith } from './cells.ts'

let one: Served
let two: Served
beforeAll(async () => {
  ;({ one, two } = await shareCells())
})

/** By this number a simulated phone never says whether it got the message. */
const SILENT = '233241200005'
const AN_HOUR = 3_600_000

/** An account that has sent, and has nothing under way. A callback of it waits: its receiver is not there. */
async function usedAccount(name: string) {
  const account = await one.front.account(name, 1_000_000_000)
  const ask = (body: object, key: string, path = SINGLE) =>
    call(one.front.url, account, { path, body, key: `${name}-${key}` })
  const first = await ask({ ...single(), Reference: 'first' }, 'first')
  await ask(bulk(['233241234567', '233241200001', '233241200004']), 'bulk', BULK)
  await ask({ ...single(), CallbackUrl: 'http://127.0.0.1:9/' }, 'callback')
  await eventually('all are final', async () => (await underWay(one, account)) === 0)
  await eventually('the callback was tried', async () => (await callbacksLater(one, account)) === 1)
  return { account, first: first.text }
}

/** Sends a message that stays under way, and one for later. */
async function sendOpen(account: AccountSecrets, sendAt = Date.now() + AN_HOUR) {
  const SendAt = new Date(sendAt).toISOString()
  const silent = await call(one.front.url, account, { path: SINGLE, body: single(SILENT) })
  const scheduled = await call(one.front.url, account, { path: SCHEDULED, body: { ...single(), SendAt } })
  await eventually('the carrier has it', async () => {
    const [ref] = await rows(one, 'SELECT ref FROM carrier_refs WHERE message_id = $1', ticketOf(silent))
    return ref !== undefined
  })
  return { silent: ticketOf(silent), scheduled: ticketOf(scheduled) }
}

const ticketOf = ({ text }: { text: string }): string => JSON.parse(text).Ticket

async function rows<T extends object>(
  { cell }: { cell: { database: Database } },
  text: string,
  ...values: string[]
) {
  return cell.database.read(({ run }) => run<T>(text, values))
}

async function change({ cell }: Served, text: string, ...values: (string | number)[]): Promise<void> {
  await cell.database.write(({ run }) => run(text, values))
}

/** What a carrier says of a message at last. The gateway that has it looks at once. */
async function giveReceipt(served: Served, ticket: string): Promise<void> {
  await change(served, "UPDATE carrier_refs SET verdict = 'success' WHERE message_id = $1", ticket)
  await change(served, 'UPDATE outbox SET run_at = 0 WHERE id = $1', ticket)
}

async function count(served: Served, what: string, { accountId }: AccountSecrets): Promise<number> {
  const [row] = await rows<{ n: number }>(served, `SELECT count(*) AS n FROM ${what}`, accountId)
  return row?.n ?? 0
}

const underWay = (served: Served, account: AccountSecrets) =>
  count(served, 'messages WHERE account_id = $1 AND sender_key IS NULL', account)

const callbacksLater = (served: Served, account: AccountSecrets) =>
  count(served, "outbox WHERE kind = 'callback' AND owner = $1 AND attempts > 0", account)

async function statusOf(served: Served, ticket: string): Promise<string | undefined> {
  const [row] = await rows<{ status: string }>(served, 'SELECT status FROM messages WHERE id = $1', ticket)
  return row?.status
}

async function isActive(served: Served, { accountId }: AccountSecrets): Promise<boolean> {
  const [row] = await rows<{ status: string }>(served, 'SELECT status FROM accounts WHERE id = $1', accountId)
  return row?.status === 'active'
}

async function postedIn(served: Served, { accountId }: AccountSecrets): Promise<number | undefined> {
  const [row] = await rows<{ posted: number }>(
    served,
    'SELECT posted FROM wallets WHERE account_id = $1',
    accountId,
  )
  return row?.posted
}

async function idsOf(served: Served, { accountId, clientId }: AccountSecrets) {
  const own = await rows<{ id: string }>(
    served,
    `SELECT id FROM wallets WHERE account_id = $1 UNION ALL SELECT id FROM messages WHERE account_id = $2
     UNION ALL SELECT id FROM callbacks WHERE account_id = $3 UNION ALL SELECT person_id FROM memberships WHERE account_id = $4`,
    ...[accountId, accountId, accountId, accountId],
  )
  return [accountId, clientId, ...own.map(({ id }) => id)]
}

/** Somebody with a password and a generator. */
async function join(served: Served, accountId: string, email: string): Promise<string> {
  await served.cell.people.invite(accountId, email, 'sender')
  const id = `${email} in ${served.cell.name}`
  await change(
    served,
    'INSERT INTO people (id, email, password_hash, created_at) VALUES ($1, $2, $3, 1)',
    id,
    email,
    `hash of ${id}`,
  )
  await change(
    served,
    "INSERT INTO memberships (account_id, person_id, role, created_at, created_by) VALUES ($1, $2, 'sender', 2, 'operator:ada')",
    accountId,
    id,
  )
  await change(
    served,
    "INSERT INTO code_generators (id, owner_kind, owner_id, sealed, last_step, created_at) VALUES ($1, 'person', $2, 'sealed', 1, 1)",
    `generator of ${id}`,
    id,
  )
  await change(served, 'DELETE FROM invitations WHERE email = $1', email)
  return id
}

/** A gateway remembers for a second who was let in. */
const askedToComeAgain = (account: AccountSecrets) =>
  eventually('its requests are asked to come again', async () => {
    const { status, headers } = await balanceAt(one, account)
    return status === 503 && headers.get('retry-after') === '30'
  })

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
    const { account, first } = await usedAccount('moves')
    const { accountId } = account
    await one.cell.people.invite(accountId, 'viewer@moves.example', 'viewer')
    const ids = await idsOf(one, account)
    const before = await balanceAt(one, account)
    const there = await tablesWith(one.cell.database, ids)

    const moved = await letArrive('moves@example.com', one.cell, two.cell)
    expect(moved.comparison?.same).toBe(true)
    await askedToComeAgain(account)
    expect((await letArrive('moves@example.com', one.cell, two.cell)).state).toBe('left')
    expect(moved.comparison?.books.find(({ what }) => what === 'in wallets')?.from).toBeGreaterThan(0)
    expect(moved).toMatchObject({ accountId, clientIds: [account.clientId], invited: [] })

    await eventually('it is forgotten', async () => (await balanceAt(one, account)).status === 401)
    expect(amountIn(await balanceAt(two, account))).toBe(amountIn(before))
    const again = await call(two.front.url, account, {
      ...{ path: SINGLE, body: { ...single(), Reference: 'first' }, key: 'moves-first' },
    })
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first, 'true'])
    const sent = await call(two.front.url, account, { path: SINGLE, body: single() })
    expect(sent.status).toBe(200)
    await eventually('it is delivered', async () => (await underWay(two, account)) === 0)

    // What went, went from there.
    const expected = there.filter(
      (name) => !['audit_failures', 'carrier_refs', 'portal_sessions', 'settings', 'traces'].includes(name),
    )
    expect(await tablesWith(two.cell.database, ids)).toEqual(expected)
    expect(expected).toContain('callback_attempts')
    expect(await tablesWith(one.cell.database, ids)).toEqual(['audit'])
    const left = await rows(one, 'SELECT action, detail FROM audit WHERE account_id = $1', accountId)
    expect(left).toEqual([{ action: 'account.leave', detail: '{"to":"two"}' }])
    for (const { cell } of [one, two]) await checkStandings(cell.database)
    await expect(move(accountId, one.cell, two.cell)).rejects.toThrow(/is in two already/)
  })

  it('waits in its cell until all that it sent and scheduled has ended there', async () => {
    const { account } = await usedAccount('waits')
    const open = await sendOpen(account)
    const waits: Open[] = []
    let begun: Begun | undefined
    const moving = letArrive(account.accountId, one.cell, two.cell, {
      onBegin(now) {
        begun = now
      },
      onWait: (now) => void waits.push(now),
    })
    await eventually('it waits', async () => waits.length > 0)
    expect(begun?.open).toMatchObject({ underWay: 1, scheduled: 1 })
    expect(waits[0]).toMatchObject({ underWay: 1, scheduled: 1, callbacks: 0, events: 0 })
    expect(waits[0]?.lastDueAt).toBeGreaterThan(Date.now())
    expect(waits[0]?.endsBy).toBeGreaterThan(waits[0]?.lastDueAt ?? 0)
    await askedToComeAgain(account)
    for (const { cell, url } of [one, two]) {
      const findings = await inspect(cell.database, loadConfig({ database: url }, {}), { quick: true })
      expect(findings).toContainEqual({
        check: 'move',
        state: 'warn',
        detail: expect.stringMatching(/ is moving from one to two and can't send: finish that/),
      })
    }
    await change(one, 'UPDATE outbox SET run_at = 0 WHERE id = $1', open.scheduled)
    await eventually('it was sent', async () => (await statusOf(one, open.scheduled)) === 'success')
    expect(await tablesWith(two.cell.database, [open.silent])).toEqual([])
    await giveReceipt(one, open.silent)
    expect((await moving).state).toBe('arrived')
    await letArrive(account.accountId, one.cell, two.cell)
    for (const ticket of Object.values(open)) expect(await statusOf(two, ticket)).toBe('success')
    for (const { cell } of [one, two]) await checkStandings(cell.database)
  })

  it('does not wait for days until what it scheduled is due, but cancels it if that is wanted', async () => {
    const { account } = await usedAccount('later')
    const before = await postedIn(one, account)
    const { silent, scheduled } = await sendOpen(account, Date.now() + 72 * AN_HOUR)
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
    const { account } = await usedAccount('posts')
    await letArrive(account.accountId, one.cell, two.cell)
    expect(await count(one, "outbox WHERE kind = 'callback' AND owner = $1", account)).toBe(0)
    await eventually('two has tried it', async () => (await callbacksLater(two, account)) === 1)
    const attempts = await rows<{ seq: number }>(
      two,
      'SELECT a.seq FROM callback_attempts a JOIN callbacks c ON c.id = a.callback_id WHERE c.account_id = $1 ORDER BY 1',
      account.accountId,
    )
    expect(attempts.length).toBeGreaterThan(1)
    await letArrive(account.accountId, one.cell, two.cell)
  })

  it('takes along what a gateway let in late, and lets nothing in after that', async () => {
    const { account } = await usedAccount('late')
    const { accountId } = account
    let compared = 0
    let sent: string | undefined
    // As a gateway that was stopped, and goes on when both sides were compared.
    const source = beforeWrites(one.cell, async () => {
      if (compared !== 1 || sent !== undefined) return
      await change(one, "UPDATE accounts SET status = 'active' WHERE id = $1", accountId)
      await eventually('it is let in', async () => {
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
    await eventually('it is let in', async () => (await balanceAt(one, account)).status === 200)
    const refused = await call(one.front.url, account, { path: SINGLE, body: single() })
    expect(refused.status).toBe(402)
    await change(one, "UPDATE accounts SET status = 'suspended' WHERE id = $1", accountId)
    expect((await letArrive(accountId, one.cell, two.cell)).state).toBe('left')
    for (const { cell } of [one, two]) await checkStandings(cell.database)
  })

  it('is not deleted where it was while money or messages of it are there', async () => {
    const { account } = await usedAccount('left-over')
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
    const { account } = await usedAccount('back')
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
    await eventually('it is delivered', async () => (await underWay(one, account)) === 0)
    await one.cell.operator.credit(accountId, micros(1_000_000))
  })

  it('is taken back while a command waits for it, which ends then', async () => {
    const { account } = await usedAccount('recalled')
    const { accountId } = account
    await sendOpen(account)
    let waits = 0
    const waiting = letArrive(accountId, one.cell, two.cell, { onWait: () => void waits++ })
    const ended = expect(waiting).rejects.toThrow(
      /another command goes on .*, or has taken it back: this one ends/,
    )
    await eventually('it waits', async () => waits > 0)
    await takeBackAccount({ source: one.cell, target: two.cell, account: accountId })
    await ended
    expect([await isActive(one, account), await tablesWith(two.cell.database, [accountId])]).toEqual([
      true,
      [],
    ])
  })

  it('is moved by the last command alone that was called for it', async () => {
    const { account } = await usedAccount('twice')
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
    const { account } = await usedAccount('breaks')
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
    const { account } = await usedAccount('again')
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

describe('while an account moves, an operator', () => {
  let account: AccountSecrets
  const AMOUNT = micros(1_000_000)
  const EMAIL = 'viewer@changes.example'
  const MEMBER = 'sender@changes.example'
  beforeAll(async () => {
    account = (await usedAccount('changes')).account
    await one.cell.people.invite(account.accountId, EMAIL, 'viewer')
    await join(one, account.accountId, MEMBER)
    await letArrive(account.accountId, one.cell, two.cell)
  })

  it.each<[string, (cell: Served['cell'], id: string) => Promise<unknown>]>([
    ['credits nothing', ({ operator }, id) => operator.credit(id, AMOUNT, 'invoice-77')],
    ['debits nothing', ({ operator }, id) => operator.debit(id, AMOUNT)],
    ['sets no warning', ({ operator }, id) => operator.warn(id, AMOUNT)],
    ['approves no sender ID', ({ operator }, id) => operator.setSender(id, 'OTHER', 'approved')],
    ['does not resume it', ({ operator }, id) => operator.setStatus(id, 'active')],
    ['replaces no client secret', ({ operator }, id) => operator.rotateSecret(id)],
    ['replaces no wallet token', ({ operator }, id) => operator.rotateWalletToken(id)],
    ['replaces no callback secret', ({ operator }, id) => operator.rotateCallbackSecret(id)],
    ['does not erase it', (cell, id) => createEraseAccount(cell)(id, { despiteBalance: true })],
    ['sets no password', ({ operator }, id) => operator.setPassword(id, 'a hash')],
    ['invites nobody', ({ people }, id) => people.invite(id, 'new@changes.example', 'viewer')],
    ['withdraws no invitation', ({ people }, id) => people.withdraw(id, EMAIL)],
    ['gives nobody another role', ({ people }, id) => people.setRole(id, MEMBER, 'viewer')],
    ['takes nobody out', ({ people }, id) => people.remove(id, MEMBER)],
    ['lets nobody begin anew', ({ people }, id) => people.reset(id, MEMBER)],
    ['requires no factor', ({ people }, id) => people.requireFactor(id, true)],
    [
      'limits no assistants',
      ({ people }, id) => people.limitAssistants(id, undefined, { spend: AMOUNT, messages: 1 }),
    ],
  ])('%s where it was', async (_, act) => {
    const before = await tablesOf(account)
    await expect(act(one.cell, account.accountId)).rejects.toThrow(
      /^account \S+ is moving from one to two: finish that with the same wigwag move --account, or take it back with --undo$/,
    )
    expect(await tablesOf(account)).toEqual(before)
  })

  it('may look at it, and changes it where it is', async () => {
    await one.cell.operator.view(account.accountId, '/wallet')
    const { wallet } = await two.cell.operator.credit(account.accountId, AMOUNT, 'invoice-77')
    await move(account.accountId, one.cell, two.cell)
    expect(await postedIn(two, account)).toBe(wallet.posted)
  })

  /** Everything that could have changed. */
  function tablesOf({ accountId }: AccountSecrets) {
    return rows(
      one,
      `SELECT to_json(a) AS account, (SELECT json_agg(w) FROM wallets w WHERE w.account_id = a.id) AS wallets,
         (SELECT json_agg(json_build_array(k.id, k.ends_at) ORDER BY k.id) FROM keys k WHERE k.account_id = a.id) AS keys,
         (SELECT json_agg(s) FROM sender_ids s WHERE s.account_id = a.id) AS senders,
         (SELECT json_agg(m) FROM memberships m WHERE m.account_id = a.id) AS people,
         (SELECT json_agg(i) FROM invitations i WHERE i.account_id = a.id) AS invitations,
         (SELECT count(*) FROM messages m WHERE m.account_id = a.id) AS messages,
         (SELECT count(*) FROM audit u WHERE u.account_id = a.id) AS log
       FROM accounts a WHERE a.id = $1`,
      accountId,
    )
  }
})

describe('people of an account that moves', () => {
  const peopleOf = (served: Served, { accountId }: AccountSecrets) =>
    rows(
      served,
      `SELECT p.id, p.password_hash AS password, (SELECT count(*) FROM code_generators g WHERE g.owner_id = p.id) AS factors
       FROM memberships m JOIN people p ON p.id = m.person_id
       WHERE m.account_id = $1 AND p.email NOT LIKE '%@example.com' ORDER BY 1`,
      accountId,
    )

  it('are let in by their own sign-in there, or by an invitation where the address is taken', async () => {
    const { account } = await usedAccount('people')
    const other = await two.front.account('other', 0)
    const comes = await join(one, account.accountId, 'comes@people.example')
    await join(one, account.accountId, 'boss@people.example')
    // Somebody of the other cell has claimed the address.
    const claimed = await join(two, other.accountId, 'boss@people.example')
    let begun: Begun | undefined
    const { invited } = await move(account.accountId, one.cell, two.cell, {
      onBegin(now) {
        begun = now
      },
    })
    expect(begun?.taken).toEqual([{ email: 'boss@people.example', role: 'sender', signsInTo: ['other'] }])
    expect(invited).toEqual([
      {
        email: 'boss@people.example',
        role: 'sender',
        signsInTo: ['other'],
        secret: expect.stringMatching(/^wi_/),
      },
    ])
    expect(await peopleOf(two, account)).toEqual([{ id: comes, password: `hash of ${comes}`, factors: 1 }])
    expect(await peopleOf(two, other)).toEqual([{ id: claimed, password: `hash of ${claimed}`, factors: 1 }])
    const { members, invited: waiting } = await two.cell.people.list(account.accountId)
    expect(members.map(({ email }) => email).sort()).toEqual(['comes@people.example', 'people@example.com'])
    expect(waiting).toMatchObject([
      { email: 'boss@people.example', role: 'sender', createdBy: 'operator:ada' },
    ])
  })

  it('who have left it take nothing along to sign in with', async () => {
    const { account } = await usedAccount('leavers')
    const gone = await join(one, account.accountId, 'gone@leavers.example')
    const stays = await one.front.account('stays', 0)
    await change(
      one,
      "INSERT INTO memberships (account_id, person_id, role, created_at, created_by) VALUES ($1, $2, 'sender', 2, 'operator:ada')",
      stays.accountId,
      gone,
    )
    await one.cell.people.remove(account.accountId, 'gone@leavers.example')
    const { invited } = await move(account.accountId, one.cell, two.cell)
    expect(invited).toEqual([])
    expect(await peopleOf(two, account)).toEqual([{ id: gone, password: null, factors: 0 }])
    expect(await peopleOf(one, stays)).toEqual([{ id: gone, password: `hash of ${gone}`, factors: 1 }])
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
