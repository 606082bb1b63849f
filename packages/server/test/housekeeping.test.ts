import { describe, expect, it, onTestFinished } from 'vitest'
import { putRecord } from '../src/assistants/oauth/records.ts'
import type { Gateway } from '../src/gateway/compose.ts'
import { epochMs } from '../src/kernel/ids.ts'
import { systemClock } from '../src/kernel/process/clock.ts'
import { Metrics } from '../src/kernel/process/metrics.ts'
import { Housekeeping } from '../src/operate/housekeeping.ts'
import { DEMO_EMAIL } from '../src/sandbox/demo.ts'
import { countFailure } from '../src/store/audit/audit.ts'
import { createMovedClock, TimeLapse } from '../src/testing/clock.ts'
import { connect } from './support/assistants.ts'
import { call, openFront, SINGLE, single } from './support/front.ts'
import { openGateway } from './support/gateway.ts'

const HOUR = 3_600_000

const unexpected = (error: unknown) => {
  throw error
}

async function count({ database }: Gateway, table: string): Promise<number> {
  const [row] = await database.read(({ run }) => run<{ n: number }>(`SELECT count(*) AS n FROM ${table}`, []))
  return row?.n ?? 0
}

/** Stores keys that are long past their day. */
function leaveKeys({ database }: Gateway, keys: number): Promise<unknown> {
  return database.write(({ run }) =>
    run(
      `INSERT INTO idempotency (scope, fingerprint, response, created_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
       SELECT 'old-' || (1000000 + i), 'fingerprint', 'an answer of some length '||i, i FROM n`,
      [keys],
    ),
  )
}

/** How often housekeeping failed. */
async function faults({ metricsApp }: Gateway): Promise<number> {
  const text = await (await metricsApp.request('/metrics')).text()
  return Number(/^wigwag_faults_total\{part="housekeeping"\} (\d+)$/m.exec(text)?.[1])
}

describe('housekeeping', () => {
  it('forgets attempts to sign in within two hours, and sessions within an hour of their end', async () => {
    const gateway = await openGateway()
    const signIn = (password = 'wrong') =>
      gateway.portal.signIn({ email: DEMO_EMAIL, password, address: '127.0.0.1' })
    const result = await signIn(gateway.demo.password)
    await gateway.advance(HOUR / 2)
    expect(await signIn()).toEqual({ kind: 'wrong' })
    await gateway.advance(HOUR / 2)
    expect(await count(gateway, 'sign_in_attempts')).toBe(2)
    await gateway.advance(HOUR / 2)
    expect(await count(gateway, 'sign_in_attempts')).toBe(1)
    await gateway.advance(HOUR)
    expect(await count(gateway, 'sign_in_attempts')).toBe(0)
    await gateway.advance(9 * HOUR)
    expect(await gateway.portal.who(result.kind === 'in' ? result.token : undefined)).toMatchObject({
      email: DEMO_EMAIL,
    })
    expect(await count(gateway, 'portal_sessions')).toBe(1)
    await gateway.advance(HOUR)
    expect(await count(gateway, 'portal_sessions')).toBe(0)
  })
  it('lets requests pass between two slices of what it deletes, and goes on until all of it is gone', async () => {
    const gateway = await openGateway()
    await leaveKeys(gateway, 2_500)
    await gateway.advance(60_000)
    const left = await count(gateway, 'idempotency')
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(2_500)
    await gateway.advance(1_000)
    expect(await count(gateway, 'idempotency')).toBe(0)
  })

  it('tries what failed again an hour later, and does the rest meanwhile', async () => {
    const gateway = await openGateway()
    await leaveKeys(gateway, 10)
    await gateway.database.write(({ run }) => run('ALTER TABLE sign_in_attempts RENAME TO away', []))
    await gateway.advance(30 * 60_000)
    expect(await faults(gateway)).toBe(1)
    expect(await count(gateway, 'idempotency')).toBe(0)
    await gateway.advance(HOUR)
    expect(await faults(gateway)).toBe(2)
  })

  it('goes on where it left off, when one run is not enough for a walk through a table', async () => {
    const gateway = await openGateway()
    const now = gateway.now().getTime()
    await gateway.database.write(async ({ run }) => {
      await run(
        `INSERT INTO oauth_records (model, id, payload, created_at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
         SELECT 'Client', 'young-' || i, '{}', $1 FROM n`,
        [now],
      )
      await run('INSERT INTO oauth_records (model, id, payload, created_at) VALUES ($1, $2, $3, $4)', [
        'Client',
        'z-old',
        '{}',
        now - 25 * HOUR,
      ])
    })
    const clock = createMovedClock(epochMs(now))
    const metrics = new Metrics({ clock, onUnread: unexpected })
    const parts = { database: gateway.database, clock, metrics }
    const housekeeping = new Housekeeping(parts, {
      connections: gateway.connections,
      realNow: clock.now,
      retain: { messagesMs: undefined, callbacksMs: undefined, auditMs: undefined },
      onFault: unexpected,
      mostSteps: 3,
    })
    housekeeping.start()
    await new TimeLapse(clock, () => housekeeping.idle()).advance(90_000)
    await housekeeping.stop()
    expect(await count(gateway, 'oauth_records')).toBe(3_000)
  })

  it('stops while it rests between two slices', async () => {
    const gateway = await openGateway()
    await leaveKeys(gateway, 2_500)
    await gateway.advance(60_000)
    await expect(gateway.stop()).resolves.toBeUndefined()
  })

  it('forgets 40,000 keys while sends go on', async () => {
    // Long waits are short here: the minute after the start, and the hour between two runs.
    const clock = {
      ...systemClock,
      after: (ms: number, work: () => void) => systemClock.after(ms < 10_000 ? ms : 50, work),
    }
    const front = await openFront(':memory:', { rateLimit: undefined }, { clock })
    onTestFinished(() => front.close())
    const account = await front.account('busy', 1_000_000_000)
    await leaveKeys(front.gateway, 40_000)
    const oldest = async () => {
      const [row] = await front.gateway.database.read(({ run }) =>
        run<{ at: number | null }>('SELECT min(created_at) AS at FROM idempotency', []),
      )
      return row?.at ?? undefined
    }
    let between = 0
    for (let at = await oldest(); at !== undefined; at = await oldest()) {
      const { status } = await call(front.url, account, { path: SINGLE, body: single() })
      expect(status).toBe(200)
      if (at > 1) between++
    }
    expect(between).toBeGreaterThan(20)
  })

  it('keeps a row an hour of 100,000 failures, and forgets them after 90 days', async () => {
    const gateway = await openGateway()
    const day90 = gateway.now().getTime() - 90 * 24 * HOUR
    await gateway.database.write(async (tx) => {
      for (let n = 0; n < 100_000; n++)
        await countFailure(tx, {
          action: 'portal.sign-in-failed',
          accountId: n % 2 === 0 ? null : gateway.demo.accountId,
          at: epochMs(day90 - 10 * HOUR + Math.floor((n * 20 * HOUR) / 100_000)),
          detail: '{}',
        })
    })
    expect(await count(gateway, 'audit_failures')).toBeLessThanOrEqual(2 * 21)
    await gateway.advance(60_000)
    const [left] = await gateway.database.read(({ run }) =>
      run<{ oldest: number; failures: number }>(
        'SELECT min(last_at) AS oldest, sum(failures) AS failures FROM audit_failures',
        [],
      ),
    )
    expect(left?.oldest).toBeGreaterThan(day90)
    expect(left?.failures).toBeGreaterThan(40_000)
  })

  it('ends a connection that no assistant can use any more, and not one that can refresh', async () => {
    const gateway = await openGateway()
    const { accountId } = gateway.demo
    const [left, used] = [await connect(gateway, accountId), await connect(gateway, accountId)]
    await gateway.database.write((tx) =>
      putRecord(
        tx,
        { model: 'RefreshToken', id: 'token', payload: '{}', grantId: used.grantId, expiresAt: 0 },
        epochMs(gateway.now().getTime()),
      ),
    )
    const living = async () =>
      (await gateway.connections.list(accountId)).filter(({ endedAt }) => endedAt === undefined)
    await gateway.advance(23 * HOUR)
    expect(await living()).toHaveLength(2)
    await gateway.advance(2 * HOUR)
    expect((await living()).map(({ id }) => id)).toEqual([used.id])
    expect((await gateway.connections.list(accountId)).at(-1)?.id).toBe(left.id)
  })
})
