import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { type RunningGateway, startGateway } from './gateway.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway(folder)
})

/** A copy of the gateway's database and its secret, changed behind everybody's back. */
async function tampered(name: string, ...statements: string[]): Promise<string> {
  const file = join(folder, name)
  const backup = await gateway.operate(['backup', file])
  expect(backup.code).toBe(0)
  copyFileSync(join(folder, 'gateway.db.secret'), `${file}.secret`)
  const database = new Sqlite(file)
  for (const statement of statements) expect(database.prepare(statement).run().changes).toBeGreaterThan(0)
  database.close()
  return `file:${file}`
}

const doctor = (database: string, env: Record<string, string> = {}) =>
  runProgram(['doctor', '--database', database], { cwd: folder, env })

/** The files of a folder: names, sizes, permissions, and times of change. */
const contentsOf = (place: string) =>
  readdirSync(place).map((name) => {
    const { size, mode, mtimeMs } = statSync(join(place, name))
    return { name, size, mode, mtimeMs }
  })

describe('wigwag doctor', () => {
  it('finds nothing wrong beside a running gateway that has sent messages', async () => {
    const account = await gateway.createAccount('healthy@acme.example')
    const sent = (await (await gateway.send(account)).json()) as { Ticket: string }
    await gateway.send(account, { To: '233240000005' })
    await gateway.finalOf(account, sent.Ticket)
    const { code, stdout } = await gateway.operate(['doctor', '--json'])
    const findings = JSON.parse(stdout) as { check: string; state: string }[]
    expect(
      findings.filter(({ state, check }) => state === 'fail' || (state === 'warn' && check !== 'disk')),
    ).toEqual([])
    expect(findings.map(({ check }) => check)).toEqual([
      'node',
      'engine',
      'disk',
      'files',
      'settings',
      'migrations',
      'clock',
      'secret',
      'ledger',
      'outbox',
      'carriers',
      'receivers',
      'senders',
      'retention',
      'rates',
      'keys',
      'address',
      'proxies',
      'clients',
      'sign-in',
    ])
    expect(code).toBe(0)
  })

  it('finds a gap in a ledger', async () => {
    await gateway.createAccount('gap@acme.example')
    await gateway.operate(['wallet', 'credit', 'gap@acme.example', '--amount', '1'])
    await gateway.operate(['wallet', 'credit', 'gap@acme.example', '--amount', '1'])
    const { code, stdout, stderr } = await doctor(
      await tampered('gap.db', 'DELETE FROM ledger WHERE seq = 2'),
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail {2}ledger .*: entry 3 does not follow the one before it$/m)
    expect(stderr).toMatch(/checks? failed/)
  })

  it('finds a wallet that is not the sum of its entries, and one that holds for no message', async () => {
    const posted = await doctor(await tampered('posted.db', 'UPDATE wallets SET posted = posted + 1000000'))
    expect(posted.code).toBe(1)
    expect(posted.stdout).toMatch(/^fail {2}ledger .*: says [\d.]+, its entries add up to [\d.]+$/m)
    const held = await doctor(
      await tampered('held.db', 'UPDATE wallets SET held = held + 1000000 WHERE posted > 2000000'),
    )
    expect(held.code).toBe(1)
    expect(held.stdout).toMatch(/^fail {2}ledger .*: holds [\d.]+, its messages in progress cost [\d.]+$/m)
  })

  it('finds an amount that was changed afterwards', async () => {
    const { code, stdout } = await doctor(
      await tampered('amount.db', 'UPDATE ledger SET amount = amount + 1 WHERE seq = 1'),
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail {2}ledger .*: entry 1 does not follow the one before it$/m)
  })

  it('finds messages that no job will ever end, and jobs that nobody does', async () => {
    const account = await gateway.createAccount('stuck@acme.example')
    await gateway.send(account, { To: '233240000005' })
    const forgotten = await doctor(await tampered('forgotten.db', 'DELETE FROM outbox'))
    expect(forgotten.code).toBe(1)
    expect(forgotten.stdout).toMatch(/^fail {2}outbox .* messages are not final and have no job$/m)
    const overdue = await doctor(
      await tampered('overdue.db', 'UPDATE outbox SET run_at = 1, lease_until = 1'),
    )
    expect(overdue.code).toBe(1)
    expect(overdue.stderr).toMatch(/\d findings say that something is wrong/)
    expect(overdue.stdout).toMatch(/^warn {2}outbox .*overdue/m)
    expect(overdue.stdout).toMatch(/^warn {2}outbox .*did not settle them/m)
  })

  it('says how each carrier is now: up, away from the first second, throttled, or paused', async () => {
    const up = await gateway.operate(['doctor'])
    expect(up.stdout).toMatch(/^ok {4}carriers +simulator up in 1 gateway$/m)
    const states = (kind: string, since: number) =>
      `UPDATE carrier_reports SET report = json_set(report, '$.carriers[0].kind', '${kind}',
       '$.carriers[0].since', ${since}, '$.carriers[0].reason', 'refused')`
    const away = await doctor(await tampered('away.db', states('away', Date.now() - 16_000)))
    expect(away.code).toBe(0)
    expect(away.stdout).toMatch(
      /^warn {2}carriers +simulator away for \d\d s in \S+:\d+ \(refused\): check simulator, or ask the carrier$/m,
    )
    const longAway = await doctor(await tampered('long-away.db', states('away', Date.now() - 8 * 60_000)))
    expect(longAway.code).toBe(1)
    expect(longAway.stdout).toMatch(/^fail {2}carriers +simulator away for 8 min in /m)
    const resting = await doctor(await tampered('resting.db', states('resting', Date.now() - 2_000)))
    expect(resting.stdout).toMatch(
      /^ok {4}carriers +simulator asks for fewer messages for \d+ s in \S+ \(refused\)$/m,
    )
    const throttles = await doctor(
      await tampered(
        'throttles.db',
        `UPDATE carrier_reports SET report = json_set(report, '$.carriers[0].rested', json('{"times":206,"ms":150000}'))`,
      ),
    )
    expect(throttles.stdout).toMatch(/^ok {4}carriers +simulator up in 1 gateway$/m)
    expect(throttles.stdout).toMatch(
      /^warn {2}carriers +simulator asked for fewer messages 206 times in the last 5 min, and got none for 2 min of them: lower its "tps"/m,
    )
    expect(throttles.code).toBe(1)
    const throttled = await doctor(await tampered('throttled.db', states('resting', 0)))
    expect(throttled.code).toBe(1)
    expect(throttled.stdout).toMatch(
      /^warn {2}carriers +simulator asks for fewer messages for \d+ d in .*: ask/m,
    )
    const pausedAt = (at: number) => `INSERT INTO carrier_pauses (carrier, at) VALUES ('simulator', ${at})`
    const paused = await doctor(await tampered('paused.db', pausedAt(Date.now())))
    expect(paused.stdout).toMatch(/^ok {4}carriers +simulator paused for \d+ s: wigwag carriers resume/m)
    const forgotten = await doctor(await tampered('left-paused.db', pausedAt(1)))
    expect(forgotten.stdout).toMatch(
      /^warn {2}carriers +simulator paused for \d+ d: wigwag carriers resume simulator ends that$/m,
    )
  })

  it('says what the running gateways keep how long, and where the settings here say otherwise', async () => {
    const running = await gateway.operate(['doctor'])
    expect(running.stdout).toMatch(
      /^ok {4}retention +messages for ever, callbacks as long as their message, audit log for ever$/m,
    )
    const keeps = {
      WIGWAG_RETAIN_DAYS: '90',
      WIGWAG_RETAIN_CALLBACK_DAYS: '1',
      WIGWAG_RETAIN_AUDIT_DAYS: '730',
    }
    const other = await gateway.operate(['doctor'], { env: keeps })
    const said = 'messages 90 days, callbacks 1 day, audit log 730 days'
    expect(other.stdout).toMatch(
      new RegExp(
        `^warn  retention +messages for ever, .* in 1 running gateway, but the settings here say ${said}: a gateway takes them over when it starts$`,
        'm',
      ),
    )
    const second = `INSERT INTO carrier_reports (process, at, report)
      SELECT 'second', at, json_set(report, '$.retain', json('{"messagesMs":86400000}')) FROM carrier_reports`
    const apart = await doctor(await tampered('apart.db', second))
    expect(apart.stdout).toMatch(/^warn {2}retention +messages for ever, .* in \S+:\d+: set it alike/m)
    expect(apart.stdout).toMatch(/^warn {2}retention +messages 1 day, .* in \S+:\d+: set it alike/m)
    const alone = await doctor(await tampered('alone-keeps.db', 'DELETE FROM carrier_reports'), keeps)
    expect(alone.stdout).toMatch(new RegExp(`^ok    retention +${said}; no gateway runs$`, 'm'))
  })

  it('finds carriers that cannot be read, with the lines, in running gateways and before one starts', async () => {
    const problem = 'carriers.json:3:7: carriers.north: expected an object with url'
    const running = await doctor(
      await tampered(
        'problems.db',
        `UPDATE carrier_reports SET report = json_set(report, '$.problems', json_array('${problem}'))`,
      ),
    )
    expect(running.code).toBe(1)
    expect(running.stdout).toMatch(/^fail {2}carriers +\S+:\d+ carries on as before: carriers\.json:3:7: /m)
    const alone = await tampered('none-runs.db', 'DELETE FROM carrier_reports')
    const missing = await doctor(alone, { WIGWAG_CARRIER: 'file:./missing.json' })
    expect(missing.code).toBe(1)
    expect(missing.stdout).toMatch(/^fail {2}carriers +no gateway can start: .*missing\.json \(ENOENT\)$/m)
    expect((await doctor(alone)).stdout).toMatch(
      /^ok {4}carriers +the setting can be read; no gateway runs$/m,
    )
  })

  it('finds messages that wait for a carrier or were never answered, and receipts of no message', async () => {
    const account = await gateway.createAccount('waiting@acme.example')
    await gateway.send(account, { To: '233240000005' })
    const waiting = await doctor(
      await tampered(
        'waiting.db',
        `UPDATE outbox SET kind = 'dispatch', lease_until = 0`,
        'UPDATE messages SET created_at = created_at - 600000',
      ),
    )
    expect(waiting.stdout).toMatch(
      /^warn {2}carriers +\d+ messages? waits? for simulator, the oldest for 10 min: /m,
    )
    const uncertain = await doctor(
      await tampered('uncertain.db', `UPDATE outbox SET kind = 'await', submitted_at = 0, lease_until = 0`),
    )
    expect(uncertain.stdout).toMatch(
      /^warn {2}carriers +\d+ messages? (was|were) never answered by simulator: /m,
    )
    const receipts = await doctor(
      await tampered(
        'receipts.db',
        `INSERT INTO carrier_refs (carrier, ref, verdict, at, part, parts) VALUES ('simulator', 'x', 'success', 1, 0, 1)`,
      ),
    )
    expect(receipts.stdout).toMatch(
      /^warn {2}carriers +1 receipt fits no message of simulator: they may be of messages that are uncertain; else look at its "ids"/m,
    )
  })

  it('says one wallet and one entry where there is one of each', async () => {
    const database = `file:${join(folder, 'one.db')}`
    const create = ['account', 'create', '--name', 'One', '--email', 'one@acme.example', '--balance', '1']
    await runProgram(['migrate', '--database', database], { cwd: folder })
    await runProgram([...create, '--database', database], { cwd: folder })
    expect((await doctor(database)).stdout).toMatch(/^ok {4}ledger +1 wallet and 1 entry: no gap/m)
  })

  it('finds jobs that keep failing', async () => {
    const account = await gateway.createAccount('poison@acme.example')
    await gateway.send(account, { To: '233240000005' })
    const poisoned = await doctor(await tampered('poisoned.db', 'UPDATE outbox SET faults = 7'))
    expect(poisoned.code).toBe(1)
    expect(poisoned.stdout).toMatch(/^fail {2}outbox +\d+ jobs keep failing and are retried once an hour/m)
  })

  it('finds a secret that opens nothing, and a schema that is not up to date', async () => {
    const secret = await gateway.operate(['doctor'], { env: { WIGWAG_SECRET: 'another one' } })
    expect(secret.code).toBe(1)
    expect(secret.stdout).toMatch(/^fail {2}secret .*WIGWAG_SECRET/m)
    const schema = await doctor(
      await tampered('schema.db', "DELETE FROM migrations WHERE name = '0001_schema.sql'"),
    )
    expect(schema.code).toBe(1)
    expect(schema.stdout).toMatch(
      /^fail {2}migrations {2}the database needs one step to be up to date: run wigwag migrate \(0001_schema.sql\)/m,
    )
    const newer = await doctor(
      await tampered('newer.db', "INSERT INTO migrations (name) VALUES ('9999_from_the_future.sql')"),
    )
    expect(newer.code).toBe(1)
    expect(newer.stdout).toMatch(/^fail {2}migrations {2}a newer version .*9999_from_the_future.sql/m)
    const beside = await doctor(
      await tampered('beside.db', "INSERT INTO migrations (name) VALUES ('9998_widen_future.sql')"),
    )
    expect(beside.stdout).toMatch(
      /^warn {2}migrations {2}a newer version .*9998_widen_future.sql.* beside it/m,
    )
    expect(beside.stdout).toMatch(/^ok {4}ledger/m)
  })

  it('changes nothing, and makes nothing: neither where no gateway runs nor where there is no database', async () => {
    const place = join(folder, 'quiet')
    mkdirSync(place)
    const missing = await doctor(`file:${join(place, 'quiet.db')}`)
    expect(missing.code).toBe(1)
    expect(missing.stdout).toMatch(/^fail {2}database {2}there is no database at /)
    expect(readdirSync(place)).toEqual([])
    const unmade = await doctor(`file:${join(place, 'no-folder', 'quiet.db')}`)
    expect(unmade.stdout).toMatch(/^fail {2}database {2}there is no database at /)

    await runProgram(['migrate', '--database', `file:${join(place, 'quiet.db')}`], { cwd: folder })
    const before = contentsOf(place)
    const { code, stdout } = await doctor(`file:${join(place, 'quiet.db')}`)
    expect(stdout).toMatch(/^ok {4}secret +none yet/m)
    expect(code).toBe(0)
    expect(contentsOf(place)).toEqual(before)

    await gateway.operate(['backup', join(place, 'copy.db')])
    const copied = contentsOf(place)
    expect((await doctor(`file:${join(place, 'copy.db')}`)).stdout).toMatch(/^ok {4}migrations/m)
    expect(contentsOf(place)).toEqual(copied)
  })

  it('leaves the log of a running gateway as it is', async () => {
    await gateway.createAccount('logged@acme.example')
    const size = () => statSync(join(folder, 'gateway.db-wal')).size
    const before = size()
    expect(before).toBeGreaterThan(0)
    expect((await gateway.operate(['doctor'])).code).toBe(0)
    expect(size()).toBeGreaterThanOrEqual(before)
  })

  it('says that others can read the database, and how to end that', async () => {
    const database = await tampered('open.db', "UPDATE settings SET value = value WHERE name = 'demo'")
    chmodSync(join(folder, 'open.db'), 0o644)
    const { code, stdout } = await doctor(database)
    expect(code).toBe(0)
    expect(stdout).toContain(`others can read them: chmod 600 ${join(folder, 'open.db')}*`)
    expect(statSync(join(folder, 'open.db')).mode & 0o777).toBe(0o644)
  })

  it('finds that the secret of a copy is missing', async () => {
    const database = await tampered('alone.db', "UPDATE settings SET value = value WHERE name = 'demo'")
    rmSync(join(folder, 'alone.db.secret'))
    const { code, stdout } = await doctor(database)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail {2}secret .*: put \S+alone\.db\.secret back, or set WIGWAG_SECRET/m)
  })

  it('tells of sign-in: its keys, who registered, who is locked out, and how the world reaches it', async () => {
    await fetch(`${gateway.url}/oauth/jwks`)
    const registration = await fetch(`${gateway.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Assistant', redirect_uris: ['http://127.0.0.1/callback'] }),
    })
    expect(registration.status).toBe(201)
    const attempts = Array.from(
      { length: 10 },
      (_, n) => `('a${n}', ${Date.now() - 1_000}, 'digest', 'x', 1)`,
    )
    const database = await tampered(
      'sign-in.db',
      `INSERT INTO sign_in_attempts (id, at, email_hash, address, failed) VALUES ${attempts.join()}`,
    )
    const { code, stdout } = await doctor(database, { WIGWAG_PUBLIC_URL: 'https://sms.example.com' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok {4}keys +1 to sign with, the newest 0 days old$/m)
    expect(stdout).toMatch(/^ok {4}clients +1 client registered itself, 1 unused$/m)
    expect(stdout).toMatch(/^warn {2}sign-in +1 e-mail address is locked; 10 failed within the hour/m)
    expect(stdout).toMatch(/^ok {4}address +https:\/\/sms\.example\.com$/m)
    expect(stdout).toMatch(/^warn {2}proxies +WIGWAG_TRUSTED_PROXIES is not set/m)

    const production = {
      WIGWAG_ENV: 'production',
      WIGWAG_SECRET: 'x'.repeat(32),
      WIGWAG_CARRIER: 'simulator',
    }
    const live = await doctor(database, production)
    expect(live.stdout).toMatch(/^warn {2}address +WIGWAG_PUBLIC_URL is not set, so no one can sign in$/m)
  })

  it.each([
    [
      'http://10.20.30.40/events',
      'warn',
      'http://10.20.30.40: the host resolves to a private address; put its range into WIGWAG_CALLBACK_ALLOW',
    ],
    ['https://ops.invalid/events', 'warn', 'https://ops.invalid: the host name did not resolve'],
    ['http://[::1]:9000/events', 'ok', 'http://[::1]:9000'],
  ])('says whether events can be posted to %s', async (url, state, said) => {
    const env = { WIGWAG_OPERATOR_WEBHOOK: url, WIGWAG_OPERATOR_WEBHOOK_SECRET: `whsec_${'a'.repeat(32)}` }
    const { code, stdout } = await gateway.operate(['doctor', '--json'], { env })
    const findings = JSON.parse(stdout) as { check: string; state: string; detail: string }[]
    const found = findings.find(({ check }) => check === 'webhook')
    expect(found).toMatchObject({ state, detail: expect.stringContaining(said) })
    expect(code).toBe(state === 'ok' ? 0 : 1)
  })

  it('finds a clock that went back', async () => {
    const { code, stdout } = await doctor(
      await tampered('clock.db', 'UPDATE accounts SET created_at = created_at + 3600000'),
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/^warn {2}clock .*the clock was set back$/m)
  })

  it('finds sender IDs that wait, since when, and customers whose currency has no price', async () => {
    const waits = `INSERT INTO sender_ids (account_id, sender, status, created_at)
      SELECT id, 'ASKED', 'pending', ${Date.now() - 3 * 3_600_000} FROM accounts`
    const { stdout } = await doctor(await tampered('senders.db', waits))
    expect(stdout).toMatch(
      /^warn {2}senders +\d+ sender IDs? waits? for a decision, the first for 3 h: wigwag sender list --pending$/m,
    )
    const unpriced = await doctor(
      await tampered(
        'unpriced.db',
        "UPDATE wallets SET currency = 'EUR'",
        "DELETE FROM rates WHERE currency = 'EUR'",
      ),
    )
    expect(unpriced.code).toBe(1)
    expect(unpriced.stdout).toMatch(
      /^warn {2}rates +\d+ customers? pays? in EUR, for which there are no prices, and can send nothing: run wigwag rates import with prices in EUR$/m,
    )
  })

  it('finds receivers that fail before a callback is given up, by customer', async () => {
    const account = await gateway.createAccount('receiver@acme.example')
    const sent = (await (await gateway.send(account, { CallbackUrl: 'http://127.0.0.1:9/hook' })).json()) as {
      Ticket: string
    }
    await gateway.finalOf(account, sent.Ticket)
    const tried = `UPDATE outbox SET attempts = 3, run_at = 9999999999999, lease_until = 0
      WHERE kind = 'callback' AND id IN (SELECT id FROM callbacks WHERE url LIKE '%:9/hook')`
    const { code, stdout } = await doctor(await tampered('receivers.db', tried))
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^warn {2}receivers +1 callback failed three times and waits: the receiver of .* \(127\.0\.0\.1:9\) does not take them; account [\w-]{36}$/m,
    )
  })
})
