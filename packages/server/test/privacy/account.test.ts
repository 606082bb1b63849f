import { micros } from '@wigwag/contract'
import { zTransaction } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import { OperatorError } from '../../src/accounts/index.ts'
import { findPerson, join, personOf, setPasswordHash } from '../../src/accounts/people/index.ts'
import { type EraseOptions, EXPORTED, eraseAccount, exportRows } from '../../src/operate/privacy/index.ts'
import { actorOf, createAudit } from '../../src/store/audit/index.ts'
import { insertRows } from '../../src/store/rows.ts'
import { answerOf } from '../isolation/requests.ts'
import { schedule } from '../isolation/scheduling.ts'
import { connect, ownerIdOf } from '../support/assistants.ts'
import { aPlace, type Bench, openBench } from '../support/bench.ts'
import { basic, MESSAGE } from '../support/harness.ts'
import { booksBalance, rowsOf, tablesWith } from './stored.ts'

const DAY = 86_400_000
const TEXT = 'The code of the door is 4711'
const NAME = 'Ama Serwaa Trading'
const EMAIL = 'ama@serwaa.example'

/** A gateway with an account that has sent, beside the demo account. */
async function openWith(engine: 'SQLite in memory' | 'PostgreSQL') {
  const bench = await openBench({ database: await aPlace(engine) })
  const made = await bench.operator.createAccount({
    name: NAME,
    email: EMAIL,
    currency: 'GHS',
    balance: 5_000_000 as never,
    senders: ['SERWAA'],
  })
  const proof = { authorization: basic(made), 'x-wallet': `Token ${made.walletToken}` }
  const send = async (changes: object = {}) => {
    const body = { ...MESSAGE, From: 'SERWAA', Content: TEXT, ...changes }
    const response = await bench.call('POST', '/v1/messages/sms', { ...proof, 'idempotency-key': 'k' }, body)
    return ((await response.json()) as { Ticket: string }).Ticket
  }
  const erase = (options: EraseOptions = {}) => eraseAccount(bench, made.accountId, options)
  const suspend = async () => {
    await bench.operator.setStatus(EMAIL, 'suspended')
    await bench.advance(2_000)
  }
  return { bench, made, proof, send, erase, suspend }
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(OperatorError)
  return error instanceof Error ? error.message : ''
}

const everyRow = async (bench: Bench, accountId: string) => {
  const rows: Record<string, unknown[]> = {}
  for (const name of EXPORTED) {
    const found: unknown[] = []
    for await (const row of exportRows(bench.database, accountId, name, false)) found.push(row)
    rows[name] = found
  }
  return rows
}

describe.each(['SQLite in memory', 'PostgreSQL'] as const)('erasing an account on %s', (engine) => {
  it('refuses while the account is active, has messages under way or money, unless told', async () => {
    const { bench, proof, made, erase, suspend } = await openWith(engine)
    await bench.operator.warn(made.accountId, micros(10_000_000))
    expect(await refusal(erase())).toContain('only a suspended account can be erased: wigwag account suspend')
    await schedule(bench, new Date(bench.now() + DAY).toISOString(), { From: 'SERWAA' }, proof)
    await suspend()
    expect(await refusal(erase())).toMatch(/has 1 message that is scheduled or under way.*--despite-open/)
    expect(await refusal(erase({ despiteOpen: true }))).toMatch(/still has GHS 5\.00.*--despite-balance/)
    expect(await rowsOf(bench, 'messages')).toBe(1)
    const erased = await erase({ despiteOpen: true, despiteBalance: true })
    expect(erased.wallets).toMatchObject([{ currency: 'GHS', balance: 5 }])
    expect(await rowsOf(bench, 'messages')).toBe(0)
    expect(await rowsOf(bench, 'outbox')).toBe(0)
    // An account that can't be credited is not watched.
    expect(await rowsOf(bench, 'wallet_warnings')).toBe(0)
    expect(await booksBalance(bench.database)).toBe(true)
  })

  it('leaves nothing to sign in with to a person who left every other account', async () => {
    const { bench, made, erase, suspend } = await openWith(engine)
    const { operator, people, database, demo } = bench
    await operator.setPassword(EMAIL, 'a hash')
    const personId = await ownerIdOf(bench, made.accountId)
    const { accountId } = demo
    await database.write((tx) => join(tx, { accountId, personId, role: 'viewer', by: 'tests' }, bench.now()))
    await people.remove(accountId, EMAIL)
    await suspend()
    await erase({ despiteBalance: true })
    const left = await database.read((tx) => findPerson(tx, EMAIL))
    expect(left).toMatchObject({ id: personId, passwordHash: null })
  })

  it('leaves nothing of who it was and what it sent, and keeps the ledger, the totals and other accounts', async () => {
    const { bench, made, send, erase, suspend } = await openWith(engine)
    await send({ CallbackUrl: 'https://serwaa.example/sms' })
    await connect(bench, made.accountId)
    const other = await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)
    const { Ticket } = (await other.json()) as { Ticket: string }
    await bench.advance(10_000)
    await suspend()
    const before = { ledger: await rowsOf(bench, 'ledger'), totals: await rowsOf(bench, 'hourly_totals') }
    await erase({ despiteBalance: true })

    expect(await tablesWith(bench.database, TEXT, NAME, EMAIL, 'SERWAA', 'serwaa.example')).toEqual([])
    expect(await rowsOf(bench, 'ledger')).toBe(before.ledger)
    expect(await rowsOf(bench, 'hourly_totals')).toBe(before.totals)
    expect(await booksBalance(bench.database)).toBe(true)
    const audit = await bench.database.read(({ run }) =>
      run<{ action: string; detail: string }>(
        'SELECT action, detail FROM audit WHERE account_id = $1 ORDER BY id',
        [made.accountId],
      ),
    )
    expect(audit.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['account.create', 'account.suspend', 'account.erase']),
    )
    expect(new Set(audit.map(({ detail }) => detail))).toEqual(new Set(['{}']))
    await answerOf(bench.call('GET', `/v1/transactions/${Ticket}/status`), zTransaction)
    expect(await refusal(erase())).toContain('was erased already')
    expect(await refusal(bench.operator.setStatus(made.accountId, 'active'))).toContain("can't be changed")
  })
})

describe.each(['SQLite in memory', 'PostgreSQL'] as const)('exporting an account on %s', (engine) => {
  it('says who is in it and who left it, and when each last signed in, without what they sign in with', async () => {
    const { bench, made } = await openWith(engine)
    const { accountId } = made
    const { database, demo } = bench
    const invite = async (email: string, role: 'sender' | 'viewer') => {
      const personId = bench.newId(bench.now())
      await database.write(async (tx) => {
        const person = await personOf(tx, email, { id: personId, now: bench.now() })
        await join(tx, { accountId, personId: person.id, role, by: 'operator:ada' }, bench.now())
        await setPasswordHash(tx, person.id, 'scrypt$a-hash')
      })
      return personId
    }
    const [efua, left] = [
      await invite('efua@example.com', 'sender'),
      await invite('left@example.com', 'viewer'),
    ]
    await bench.people.remove(accountId, 'left@example.com')
    await bench.people.invite(accountId, 'soon@example.com', 'viewer')
    const signedIn = async (personId: string, inAccount: string) => {
      await bench.advance(60_000)
      const entry = { actor: actorOf(personId), action: 'portal.sign-in', accountId: inAccount } as const
      const clock = { now: () => bench.now() }
      await database.write((tx) => createAudit({ clock, newId: bench.newId })(tx, entry))
      return new Date(bench.now()).toISOString()
    }
    await signedIn(efua, accountId)
    const last = await signedIn(efua, accountId)
    // In another account.
    await signedIn(left, demo.accountId)
    const rows = await everyRow(bench, accountId)
    expect(rows.people).toEqual([
      expect.objectContaining({ email: EMAIL, role: 'owner', endedAt: null, lastSignInAt: null }),
      {
        id: efua,
        alertsByMail: false,
        email: 'efua@example.com',
        role: 'sender',
        createdBy: 'operator:ada',
        since: expect.stringMatching(/Z$/),
        endedAt: null,
        lastSignInAt: last,
        assistantsSpend: null,
        assistantsMessages: null,
      },
      expect.objectContaining({ email: 'left@example.com', endedAt: expect.any(String), lastSignInAt: null }),
    ])
    expect(rows.invitations).toMatchObject([{ email: 'soon@example.com', role: 'viewer' }])
    expect(JSON.stringify(rows)).not.toMatch(/scrypt|a-hash|secretHash/)
  })

  it('has everything of it, in major units and UTC, without secrets and without other accounts', async () => {
    const { bench, made, send } = await openWith(engine)
    const ticket = await send({ CallbackUrl: 'https://serwaa.example/sms' })
    await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)
    await bench.advance(10_000)
    const { accountId } = made
    const alert = { accountId, key: 'wallet:w', text: 'The wallet is low.', seenAt: bench.now() }
    await bench.database.write(async (tx) => {
      await insertRows(tx, tx.t.alertChoices, [{ accountId, kind: 'wallet', amount: micros(5_000_000) }])
      await insertRows(tx, tx.t.accountAlerts, [
        { ...alert, id: 'a', toldAt: bench.now(), goneAt: null, overAt: null },
      ])
      const address = { keyId: 'k', address: '192.0.2.1', accountId, usedAt: bench.now(), untold: 0 } as const
      await insertRows(tx, tx.t.keyAddresses, [address])
    })
    const rows = await everyRow(bench, accountId)
    expect(rows.alertChoices).toEqual([{ accountId, kind: 'wallet', amount: 5 }])
    expect(rows.accountAlerts).toMatchObject([{ text: alert.text, toldAt: expect.any(String), overAt: null }])
    expect(rows.keyAddresses).toMatchObject([{ address: '192.0.2.1', usedAt: expect.any(String) }])
    expect(rows.accounts).toMatchObject([{ id: made.accountId, name: NAME, email: EMAIL }])
    expect(rows.messages).toMatchObject([
      {
        id: ticket,
        recipient: MESSAGE.To,
        content: TEXT,
        status: 'success',
        createdAt: '2026-01-05T09:00:00.125Z',
        sendAt: null,
        callbackUrl: 'https://serwaa.example/sms',
      },
    ])
    expect(rows.ledger).toMatchObject([
      { kind: 'credit', amount: 5 },
      { kind: 'post', messageId: ticket },
    ])
    expect(rows.senderIds).toMatchObject([{ sender: 'SERWAA', status: 'approved' }])
    expect(rows.callbacks).toHaveLength(1)
    expect(rows.callbackAttempts).toHaveLength(1)
    expect(rows.keys).toHaveLength(3)
    expect(rows.audit).toHaveLength(1)
    const text = JSON.stringify(rows)
    for (const secret of [made.clientSecret, made.walletToken, made.callbackSecret, 'stored', 'passwordHash'])
      expect(text).not.toContain(secret)
    expect(text).not.toContain(bench.demo.accountId)
  })
})
