import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { BALANCE, call, type Front, openFront, SINGLE, single } from '../support/front.ts'
import { forkPostgresPair, type PostgresPair } from '../support/postgres.fork.ts'
import { connectTo } from '../support/postgres.ts'

let pair: PostgresPair
let front: Front
let account: AccountSecrets
let other: pg.Client
beforeAll(async () => {
  pair = await forkPostgresPair()
  front = await openFront(pair.url)
  account = await front.account('standby-gone', 1_000_000_000)
  other = await connectTo(pair.url)
})
afterAll(async () => {
  await front?.close()
  await other?.end()
  await pair?.stop()
})

/** From now on commits wait for standbys of these names. */
async function waitFor(standbys: string): Promise<void> {
  await other.query(`ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`)
  await other.query('SELECT pg_reload_conf()')
}

it('refuses sends while commits wait for a standby that is gone, and reads on', async () => {
  const send = (key?: string) =>
    call(front.url, account, { path: SINGLE, body: single(), ...(key && { key }) })
  const codeOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).code]
  expect((await send('before')).status).toBe(200)
  await waitFor('gone')
  expect(codeOf(await send('meanwhile'))).toEqual([503, 'outcome_unknown'])
  for (const refused of [await send(), await send('later')])
    expect(codeOf(refused)).toEqual([503, 'unavailable'])
  expect((await call(front.url, account, { path: BALANCE })).status).toBe(200)
  await waitFor('')
  await expect.poll(async () => (await send('meanwhile')).status).toBe(200)
  expect((await send()).status).toBe(200)
})
