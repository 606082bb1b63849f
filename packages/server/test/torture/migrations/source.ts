import Sqlite from 'better-sqlite3'
import { pino } from 'pino'
import { expect } from 'vitest'
import type { AccountSecrets } from '../../../src/accounts/operator.ts'
import { compose } from '../../../src/compose.ts'
import { loadConfig } from '../../../src/config.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { connect } from '../../support/assistants.ts'
import { makePlace } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { type Answer, type Ask, BULK, call, openFront, SINGLE } from '../../support/front.ts'
import { basic } from '../../support/harness.ts'

export type Row = Record<string, unknown>
export type Rows = Map<string, Row[]>

/** What a gateway of today has stored, and what its clients know. */
export interface Source {
  rows: Rows
  account: AccountSecrets
  /** A send that was answered, with its key. */
  repeatable: { body: object; key: string; text: string }
}

/** Seals what is stored, in every gateway of these tests. */
export const SECRET = 'a secret of forty characters or some more'
const SCHEDULED = '/v1/messages/sms/scheduled'

/** Makes something of everything by way of a gateway: messages of every end, and work that waits. */
export async function makeSource(): Promise<Source> {
  const { url, remove } = await makePlace('an SQLite file')
  const outbound = async () => ({
    kind: 'reply' as const,
    status: 500,
    headers: {},
    body: new Uint8Array(),
    truncated: false,
    latencyMs: 3,
  })
  const front = await openFront(url, { secret: SECRET }, { outbound })
  const { gateway } = front
  const account = await front.account('source', 50_000_000)
  async function ask(asked: Ask): Promise<Answer> {
    const answer = await call(front.url, account, asked)
    expect(answer.status, answer.text).toBe(200)
    return answer
  }
  const message = (To: string, fields: object = {}) => ({
    From: 'WIGWAG',
    To,
    Content: `It's "quoted" €😀\n${To}`,
    Reference: `reference ${To}`,
    CallbackUrl: 'https://receiver.example/',
    ...fields,
  })
  const ENDINGS = ['12345', '00001', '00002', '00003', '00004', '00006']
  for (const ending of ENDINGS) await ask({ path: SINGLE, body: message(`2332412${ending}`) })
  const body = message('233241234567')
  const key = 'an-old-key'
  const { text } = await ask({ path: SINGLE, body, key })
  const SendAt = new Date(Date.now() + 60 * 86_400_000).toISOString()
  for (const To of ['233241234567', '233241234568'])
    await ask({ path: SCHEDULED, body: message(To, { SendAt }) })
  const [scheduled] = await gateway.database.read(({ run }) =>
    run<{ id: string }>("SELECT id FROM messages WHERE status = 'scheduled' ORDER BY id LIMIT 1", []),
  )
  await ask({ path: `${SCHEDULED}/${scheduled?.id}`, method: 'DELETE' })
  await ask({ path: '/v1/account/sender-ids', body: { SenderId: 'WIGSHOP' } })
  await connect(gateway, account.accountId)
  await gateway.operator.rotateSecret(account.accountId).then(({ clientSecret }) => {
    account.clientSecret = clientSecret
  })
  await eventually('what was sent is final', async () => {
    const [row] = await gateway.database.read(({ run }) =>
      run<{ n: number }>("SELECT count(*) AS n FROM messages WHERE status = 'pending'", []),
    )
    return row?.n === 0
  })
  await eventually('callbacks were tried', async () => {
    const [row] = await gateway.database.read(({ run }) =>
      run<{ n: number }>('SELECT count(*) AS n FROM callback_attempts', []),
    )
    return (row?.n ?? 0) > 0
  })
  await front.close()
  await sendLater(url, account, [
    [SINGLE, message('233241234567')],
    [
      BULK,
      { From: 'WIGWAG', Content: 'Later', Recipients: [{ To: '233241234567' }, { To: '233201234567' }] },
    ],
  ])
  const rows = rowsAt(url)
  await remove()
  return { rows, account, repeatable: { body, key, text } }
}

/** Sends by a gateway that accepts and whose worker never starts, so that its jobs are left to others. */
async function sendLater(
  database: string,
  account: AccountSecrets,
  sends: readonly [path: string, body: object][],
): Promise<void> {
  const config = { ...loadConfig({ database }, {}, import.meta.dirname), secret: SECRET, gatherMs: 0 }
  const onFatal = (error: Error) => {
    throw error
  }
  const { app, stop } = await compose(config, { clock: systemClock, log: pino({ level: 'silent' }), onFatal })
  for (const [path, body] of sends) {
    const headers = {
      authorization: basic(account),
      'x-wallet': `Token ${account.walletToken}`,
      'content-type': 'application/json',
    }
    const request = new Request(`http://gateway.invalid${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect((await app.fetch(request)).status).toBe(200)
  }
  await stop()
}

function rowsAt(url: string): Rows {
  const database = new Sqlite(url.replace(/^file:/, ''))
  try {
    database.exec("UPDATE outbox SET lease_until = 0, epoch = 0, lapsed = 0 WHERE kind = 'dispatch'")
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
      .pluck()
      .all() as string[]
    return new Map(tables.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all() as Row[]]))
  } finally {
    database.close()
  }
}
