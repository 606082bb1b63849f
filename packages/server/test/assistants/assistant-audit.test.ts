import { micros } from '@wigwag/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect, WIDE } from '../support/assistants.ts'
import { aPlace, ENGINES } from '../support/bench.ts'
import { BULK, bulk, call, callWith, type Front, openFront, SINGLE, single } from '../support/front.ts'

const SCHEDULED = '/v1/messages/sms/scheduled'

async function rowsOf({ gateway }: Front): Promise<unknown[]> {
  const rows = await gateway.database.read(({ run }) =>
    run<{ actor: string; action: string; account: string; detail: string }>(
      `SELECT actor, action, account_id AS account, detail FROM audit WHERE action LIKE 'api %' ORDER BY id`,
      [],
    ),
  )
  return rows.map(({ detail, ...row }) => ({ ...row, detail: JSON.parse(detail) }))
}

describe.each(ENGINES)('the audit on %s', (engine) => {
  it('has a row for every write of an assistant that was done, with what it cost, and none of a program of the account', async () => {
    const front = await openFront(await aPlace(engine))
    onTestFinished(() => front.close())
    const owner = await front.account('owner', 1_000_000_000)
    const account = owner.accountId
    const limits = { ...WIDE, dailySpend: micros(200_000) }
    const { id, headers } = await connect(front.gateway, account, limits)
    const ask = (path: string, body?: object, method?: string) =>
      callWith(
        front.url,
        { authorization: headers.authorization },
        { path, ...(body && { body }), ...(method && { method }) },
      )

    const one = JSON.parse((await ask(SINGLE, single())).text)
    const many = JSON.parse((await ask(BULK, bulk(['233241234567', '233241234568']))).text)
    const later = { ...single(), SendAt: new Date(Date.now() + 3_600_000).toISOString() }
    const scheduled = JSON.parse((await ask(SCHEDULED, later)).text)
    expect((await ask(`${SCHEDULED}/${scheduled.Ticket}`, undefined, 'DELETE')).status).toBe(200)
    expect((await ask(BULK, bulk(['233241234567', '233241234568']))).status).toBe(403)
    expect((await ask('/v1/callbacks/replay', { Since: '2026-01-01T00:00:00Z' })).status).toBe(200)
    await call(front.url, owner, { path: SINGLE, body: single() })

    const row = (action: string, detail: object) => ({ actor: `connection:${id}`, action, account, detail })
    const done = { outcome: 'done', messages: 1, cost: 0.042 }
    expect(await rowsOf(front)).toEqual([
      row('api sendSms', { ...done, ticket: one.Ticket }),
      row('api sendBulkSms', { outcome: 'done', messages: 2, cost: 0.084, ticket: many[0].Ticket }),
      row('api scheduleSms', { ...done, ticket: scheduled.Ticket }),
      row('api cancelScheduledSms', { outcome: 'done', ticket: scheduled.Ticket }),
      row('api replayFailedCallbacks', { outcome: 'done' }),
    ])
  })
})
