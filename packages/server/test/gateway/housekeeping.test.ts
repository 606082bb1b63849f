import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/domain/ids.ts'
import { DEMO_EMAIL } from '../../src/gateway/demo.ts'
import { putRecord } from '../../src/store/oauth-records.ts'
import { openGateway, type TestGateway } from '../routes/gateway.ts'
import { connect } from './assistants.ts'

const HOUR = 3_600_000

async function count({ database }: TestGateway, table: string): Promise<number> {
  const [row] = await database.read(({ run }) => run<{ n: number }>(`SELECT count(*) AS n FROM ${table}`, []))
  return row?.n ?? 0
}

describe('housekeeping', () => {
  it('forgets attempts to sign in after an hour, and sessions when they have run out', async () => {
    const gateway = await openGateway()
    const signIn = (password = 'wrong') =>
      gateway.portal.signIn({ email: DEMO_EMAIL, password, address: '127.0.0.1' })
    const result = await signIn(gateway.demo.password)
    await gateway.advance(HOUR / 2)
    expect(await signIn()).toEqual({ kind: 'wrong' })
    expect(await count(gateway, 'sign_in_attempts')).toBe(2)
    await gateway.advance(HOUR / 2 + 60_000)
    expect(await count(gateway, 'sign_in_attempts')).toBe(1)
    await gateway.advance(10 * HOUR)
    expect(await count(gateway, 'sign_in_attempts')).toBe(0)
    expect(await gateway.portal.who(result.kind === 'in' ? result.token : undefined)).toMatchObject({
      email: DEMO_EMAIL,
    })
    await gateway.advance(HOUR)
    expect(await count(gateway, 'portal_sessions')).toBe(0)
  })
  it('ends a connection that no assistant can use any more, and not one that can refresh', async () => {
    const gateway = await openGateway()
    const { accountId } = gateway.demo
    const [left, used] = [await connect(gateway, accountId), await connect(gateway, accountId)]
    await gateway.database.write((connection) =>
      putRecord(
        connection,
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
