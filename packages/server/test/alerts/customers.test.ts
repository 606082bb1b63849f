import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { endMembership, join } from '../../src/accounts/people/index.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { tellCustomers } from '../../src/operate/alerts/customers/tell.ts'
import { eraseAccount } from '../../src/operate/privacy/index.ts'
import { insertRows } from '../../src/store/rows.ts'
import { headerOf, startSmtp } from '../mail/smtp.ts'
import { aPlace, type Bench, ENGINES, openBench, START } from '../support/bench.ts'
import { SINGLE, single } from '../support/front.ts'
import { makeWallets } from '../support/rows-of.ts'
import {
  A_DAY,
  A_LOOK,
  A_MINUTE,
  AN_HOUR,
  callFrom,
  choose,
  mailed,
  noted,
  openLooking,
} from './customers.ts'

const LOTS = micros(10_000_000_000)
const LITTLE = micros(1)
const NOTHING = micros(0)

const setChoice = ({ database }: Bench, kind: string, amount: number) =>
  database.write(({ run }) => run('UPDATE alert_choices SET amount = $1 WHERE kind = $2', [amount, kind]))

describe.each(ENGINES)('alerts of customers, on %s', (engine) => {
  it('tell once that the wallet is low, and that it is over, by mail to who asked for it', async () => {
    const { arrived, mail } = await startSmtp()
    const bench = await openLooking(await aPlace(engine), { mail: { ...mail, alerts: [] } })
    await mailed(bench, bench.demo.accountId, 'ama@acme.example')
    await choose(bench, 'wallet', LOTS)
    await bench.advance(2 * A_MINUTE)
    expect(await noted(bench)).toEqual([
      {
        text: expect.stringMatching(/^The wallet has GHS [\d,.]+, less than GHS 10,000\.00\.$/),
        told: true,
        over: false,
      },
    ])
    expect(arrived.map(({ to }) => to)).toEqual([['ama@acme.example']])
    const [one] = arrived
    if (!one) throw new Error('nothing came')
    expect(headerOf(one, 'Subject')).toMatch(/^The wallet has GHS .*, less than GHS 10,000\.00\.$/)
    expect(one.text.replace(/=\r\n/g, '')).toMatch(/\/alerts\r?\n/)
    await setChoice(bench, 'wallet', LITTLE)
    await bench.advance(2 * A_MINUTE)
    expect(await noted(bench)).toMatchObject([{ told: true, over: true }])
    expect(arrived).toHaveLength(2)
    expect(arrived[1] && headerOf(arrived[1], 'Subject')).toMatch(/^Over: The wallet has/)
  })

  it('tell when more was spent today (UTC) than an amount, as insights count it, until the day is over', async () => {
    const bench = await openLooking(await aPlace(engine))
    await choose(bench, 'spend', LITTLE)
    await bench.advance(2 * A_MINUTE)
    expect(await noted(bench)).toEqual([])
    await bench.call('POST', SINGLE, {}, single())
    await bench.advance(2 * A_MINUTE)
    const insights = await bench.call('GET', '/v1/insights/delivery?GroupBy=day')
    const { Totals } = (await insights.json()) as { Totals: { Spend: number } }
    expect(Totals.Spend).toBeGreaterThan(0)
    const [one] = await noted(bench)
    expect(one).toMatchObject({ told: true, over: false })
    const [, amount] =
      /^GHS ([\d.]+) was spent on 5 January, more than GHS 0\.000001\.$/.exec(one?.text ?? '') ?? []
    expect(Number(amount)).toBe(Totals.Spend)
    bench.jump(15 * AN_HOUR)
    await bench.advance(2 * A_MINUTE)
    expect(await noted(bench)).toMatchObject([{ told: true, over: true }])
  })

  it('tell that a receiver takes no callbacks, by the operator’s rule', async () => {
    const answer = () => new Response('', { status: 500 })
    const bench = await openLooking(await aPlace(engine), {}, answer)
    await choose(bench, 'receiver')
    await bench.call('POST', SINGLE, {}, { ...single(), CallbackUrl: 'https://shop.example/sms' })
    await bench.advance(A_MINUTE)
    expect(await noted(bench)).toEqual([])
    await bench.advance(8 * A_MINUTE)
    expect(await noted(bench)).toMatchObject([
      { text: '1 callback failed three times and waits: shop.example does not take them.', told: true },
    ])
    const operators = await bench.database.read(({ run }) => run('SELECT key FROM alerts', []))
    expect(operators).toEqual([{ key: `receiver:${bench.demo.accountId}` }])
    Object.assign(bench, { answer: () => new Response() })
    await bench.call('POST', SINGLE, {}, { ...single(), CallbackUrl: 'https://shop.example/sms' })
    await bench.advance(2 * A_MINUTE)
    expect(await noted(bench)).toMatchObject([{ told: true, over: true }])
  })

  it('tell of a key that is used from a new address, once, and of no first one', async () => {
    const { arrived, mail } = await startSmtp()
    const bench = await openLooking(await aPlace(engine), { mail: { ...mail, alerts: [] } })
    await mailed(bench, bench.demo.accountId, 'ama@acme.example')
    await choose(bench, 'address')
    expect(await callFrom(bench, '192.0.2.1')).toBe(200)
    await bench.advance(A_MINUTE)
    expect(await noted(bench)).toEqual([])
    expect(await callFrom(bench, '198.51.100.7')).toBe(200)
    for (const address of ['192.0.2.1', '198.51.100.7']) await callFrom(bench, address)
    await bench.advance(2 * A_MINUTE)
    expect(await noted(bench)).toEqual([
      {
        text: expect.stringMatching(
          /^The API key (that ends in \S+ )?was used from 198\.51\.100\.7, where it was not used in the last 30 days\.$/,
        ),
        told: true,
        over: false,
      },
    ])
    expect(arrived).toHaveLength(1)
    bench.jump(31 * A_DAY)
    await bench.advance(2 * A_MINUTE)
    expect(await noted(bench)).toMatchObject([{ over: true }])
    expect(arrived).toHaveLength(1)
  })

  it('come to nobody who has left, whose address nobody knows to be theirs, or who comes back', async () => {
    const bench = await openLooking(await aPlace(engine), {
      mail: {
        host: '127.0.0.1',
        port: 1,
        secure: false,
        user: undefined,
        password: undefined,
        from: { name: '', address: 'w@example.com' },
        alerts: [],
      },
    })
    const { accountId } = bench.demo
    const gone = await mailed(bench, accountId, 'gone@acme.example')
    await mailed(bench, accountId, 'stays@acme.example')
    const back = await mailed(bench, accountId, 'back@acme.example')
    const unknown = await mailed(bench, accountId, 'unknown@acme.example')
    await bench.database.write(async (tx) => {
      for (const personId of [gone, back]) await endMembership(tx, { accountId, personId }, bench.now())
      await join(tx, { accountId, personId: back, role: 'viewer', by: 'operator:tests' }, bench.now())
      await tx.run('UPDATE people SET mail_proven_at = 0 WHERE id = $1', [unknown])
    })
    await choose(bench, 'wallet', LOTS)
    await bench.advance(2 * A_MINUTE)
    const mails = await bench.database.read(({ run }) => run('SELECT recipient, account_id FROM mails', []))
    expect(mails).toEqual([{ recipient: 'stays@acme.example', account_id: accountId }])
    const jobs = await bench.database.read(({ run }) =>
      run("SELECT lane FROM outbox WHERE lane <> '' AND kind = 'callback'", []),
    )
    expect(jobs).toEqual([{ lane: 'mail to people' }])
  })

  it('wait while the account is suspended, and go with it when it is erased', async () => {
    const bench = await openLooking(await aPlace(engine))
    const request = { name: 'Gone Ltd', email: 'gone@acme.example', currency: 'GHS', senders: [] }
    const { accountId } = await bench.operator.createAccount({ ...request, balance: micros(1) })
    await choose(bench, 'wallet', LOTS, accountId)
    await bench.operator.setStatus(accountId, 'suspended')
    await bench.advance(2 * A_MINUTE)
    expect(await noted(bench)).toEqual([])
    await bench.operator.setStatus(accountId, 'active')
    await bench.advance(2 * A_MINUTE)
    expect(await noted(bench)).toMatchObject([{ told: true, over: false }])
    await bench.operator.setStatus(accountId, 'suspended')
    await setChoice(bench, 'wallet', LITTLE)
    await bench.advance(2 * A_MINUTE)
    expect(await noted(bench)).toMatchObject([{ told: true, over: false }])
    await bench.database.write(({ run }) =>
      run(
        `INSERT INTO key_addresses (key_id, address, account_id, used_at)
         SELECT id, '192.0.2.1', account_id, 1 FROM keys WHERE account_id = $1`,
        [accountId],
      ),
    )
    await eraseAccount(bench, accountId, { despiteBalance: true })
    const left = await bench.database.read(({ run }) =>
      run(
        `SELECT account_id FROM account_alerts UNION SELECT account_id FROM alert_choices
         UNION SELECT account_id FROM key_addresses`,
        [],
      ),
    )
    expect(left).toEqual([])
  })

  it('are one line, whatever customers and operators wrote, and no part of a mail’s head', async () => {
    const { arrived, mail } = await startSmtp()
    const bench = await openLooking(await aPlace(engine), { mail: { ...mail, alerts: [] } })
    const { accountId } = bench.demo
    await mailed(bench, accountId, 'ama@acme.example')
    await choose(bench, 'address')
    await bench.database.write(({ run }) =>
      run('UPDATE accounts SET name = $1 WHERE id = $2', ['Acme\r\nBcc: x@evil.example\u202e', accountId]),
    )
    await bench.database.write(({ run }) =>
      run("UPDATE keys SET ending = $1 WHERE account_id = $2 AND kind = 'client'", [
        'ab\r\nBcc: y@evil.example',
        accountId,
      ]),
    )
    await callFrom(bench, '192.0.2.1')
    await callFrom(bench, '192.0.2.2')
    await bench.advance(A_MINUTE)
    const [one] = arrived
    if (!one) throw new Error('nothing came')
    const [head = ''] = one.text.split('\r\n\r\n')
    expect(head).not.toMatch(/^Bcc/im)
    expect(headerOf(one, 'Subject')).toMatch(/^The API key that ends in ab Bcc: y@evil\.example was used/)
    expect(one.to).toEqual(['ama@acme.example'])
    expect(one.text).not.toContain('\u202e')
  })

  it('are told although the clock was set back, and a key’s only address stays known when it is set forward', async () => {
    const bench = await openLooking(await aPlace(engine))
    await choose(bench, 'wallet', LOTS)
    await choose(bench, 'address')
    await callFrom(bench, '192.0.2.1')
    bench.jump(90 * A_DAY)
    await callFrom(bench, '192.0.2.1')
    await bench.advance(A_LOOK)
    bench.jump(-91 * A_DAY)
    await bench.advance(2 * A_MINUTE)
    await callFrom(bench, '192.0.2.1')
    await bench.advance(2 * A_MINUTE)
    expect(await noted(bench)).toMatchObject([{ text: expect.stringMatching(/^The wallet/), told: true }])
  })
})

describe('alerts of many customers', () => {
  const NAMES = Array.from({ length: 10_000 }, (_, index) => `w${index}`)
  const nothing = { queue: async () => {}, notify: () => {} }

  it('are noted once each when ten thousand wallets are low at once, a thousand accounts a look', async () => {
    const bench = await openBench()
    const [account] = await bench.database.read(({ db, t }) => db.select().from(t.accounts))
    const [wallet] = await bench.database.read(({ db, t }) => db.select().from(t.wallets))
    if (!account || !wallet) throw new Error('expected the demo account')
    await bench.database.write(async (tx) => {
      const accounts = NAMES.map((id) => ({ ...account, id, email: `${id}@example.com` }))
      await insertRows(tx, tx.t.accounts, accounts)
      const wallets = NAMES.map((id) => ({ ...wallet, id, accountId: id, posted: LITTLE, held: NOTHING }))
      await insertRows(tx, tx.t.wallets, wallets)
      const choices = NAMES.map((accountId) => ({ accountId, kind: 'wallet' as const, amount: LOTS }))
      await insertRows(tx, tx.t.alertChoices, choices)
    })
    let at = START
    const look = () => {
      at += A_LOOK
      const clock = { ...bench.clock, now: () => epochMs(at) }
      return tellCustomers(
        { ...bench, clock },
        { mails: nothing, pageUrl: () => 'http://x/alerts', hold: async () => true },
      )
    }
    const counts = async () => {
      const [row] = await bench.database.read(({ run }) =>
        run<{ all: number; told: number }>(
          'SELECT count(*) AS "all", count(told_at) AS told FROM account_alerts',
          [],
        ),
      )
      return row
    }
    await look()
    expect(await counts()).toEqual({ all: 1_000, told: 0 })
    for (let turn = 1; turn < 11; turn++) await look()
    expect(await counts()).toEqual({ all: 10_000, told: 0 })
    for (let turn = 0; turn < 11; turn++) await look()
    expect(await counts()).toEqual({ all: 10_000, told: 10_000 })
    await look()
    expect(await counts()).toEqual({ all: 10_000, told: 10_000 })
  })

  it('have a turn each, whatever the number of a look, and nothing is noted by a gateway that lost its look', async () => {
    const bench = await openBench()
    const names = NAMES.slice(0, 7)
    await makeWallets(bench.database, Object.fromEntries(names.map((name) => [name, 1])))
    for (const name of names) await choose(bench, 'wallet', LOTS, `account-${name}`)
    const look = (isHeld: boolean) =>
      tellCustomers(bench, {
        mails: nothing,
        pageUrl: () => 'http://x/alerts',
        hold: async () => isHeld,
        mostAccounts: 3,
      })
    await look(false)
    expect(await noted(bench)).toEqual([])
    const counts: number[] = []
    for (let turn = 0; turn < 4; turn++) {
      await look(true)
      counts.push((await noted(bench)).length)
    }
    expect(counts).toEqual([3, 6, 7, 7])
  })
})

describe('mails to people', () => {
  it('hold none to the operator, however many of them hang', async () => {
    const { state, mail } = await startSmtp()
    const bench = await openLooking(':memory:', { mail })
    for (const one of ['a', 'b', 'c', 'd', 'e', 'f'])
      await mailed(bench, bench.demo.accountId, `${one}@acme.example`)
    await choose(bench, 'wallet', LOTS)
    state.doing = 'hang'
    const mails = () => bench.database.read(({ run }) => run('SELECT id FROM mails', []))
    await bench.passUntil('all are told', async () => (await mails()).length === 6, 1_000)
    await bench.passUntil('four mails hang', () => state.connections >= 4, 0)
    await bench.database.write(({ run }) =>
      run(
        `INSERT INTO outbox (id, kind, run_at, lease_until, lapsed, epoch, attempts, submitted_at, expires_at, faults, lane, handed_at, owner)
         VALUES ('j', 'callback', 9999999999999, 0, 0, 0, 0, 0, 0, 30, '', 0, 'o')`,
        [],
      ),
    )
    await bench.passUntil('the operator is told', async () => (await mails()).length === 7, 1_000)
    await bench.passUntil('it is under way', () => state.connections > 4, 0)
    await bench.stop()
    expect(state.connections).toBe(5)
  })
})

describe('alerts of customers, of two gateways on one PostgreSQL', () => {
  it('are told once each', async () => {
    const { arrived, mail } = await startSmtp()
    const place = await aPlace('PostgreSQL')
    const config = { mail: { ...mail, alerts: [] } }
    const one = await openLooking(place, config)
    const other = await openLooking(place, config)
    await mailed(one, one.demo.accountId, 'ama@acme.example')
    await choose(one, 'wallet', LOTS)
    await choose(one, 'address')
    for (const bench of [one, other]) await callFrom(bench, '192.0.2.1')
    await Promise.all([one, other].map((bench) => callFrom(bench, '192.0.2.2')))
    for (let look = 0; look < 8; look++) await Promise.all([one.advance(A_LOOK), other.advance(A_LOOK)])
    expect(await noted(one)).toHaveLength(2)
    const subjects = arrived.map((mail) => headerOf(mail, 'Subject')?.slice(0, 11))
    expect(subjects.sort()).toEqual(['The API key', 'The wallet '])
  })
})
