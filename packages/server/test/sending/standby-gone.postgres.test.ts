import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import type { Database } from '../../src/store/database.ts'
import { settled } from '../support/books.ts'
import { open } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { BALANCE, call, type Front, openFront, SINGLE, single } from '../support/front.ts'
import { handPulse } from '../support/hand-pulse.ts'
import { holdCommits } from '../support/held-commits.ts'
import { forkPostgresPair, type PostgresPair } from '../support/postgres.fork.ts'

const SILENT_AFTER_MS = 800
const { pulse, pass, passUntil } = handPulse()
let pair: PostgresPair
let front: Front
/** Of wallets of their own: a send would wait for another one of its wallet before it waits to be committed. */
let accounts: AccountSecrets[]
/** The same database beside the gateway. */
let books: Database
beforeAll(async () => {
  pair = await forkPostgresPair()
  front = await openFront(pair.url, {}, { silentAfterMs: SILENT_AFTER_MS, pulse })
  accounts = []
  for (const name of ['one', 'two', 'three']) accounts.push(await front.account(name, 1_000_000_000))
  books = open(pair.url)
})
afterAll(async () => {
  await front?.close()
  await books?.close()
  await pair?.stop()
})

const ofAccount = (index: number) => {
  const account = accounts[index]
  if (!account) throw new Error(`there is no account ${index}`)
  return account
}
const send = (index: number, key?: string) =>
  call(front.url, ofAccount(index), { path: SINGLE, body: single(), ...(key && { key }) })
const codeOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).code]

it('refuses sends while commits wait for a standby that is gone, and reads on', async () => {
  expect((await send(2, 'before')).status).toBe(200)
  await settled(books)
  const commits = await holdCommits(pair.url)
  const first = send(0, 'first')
  await eventually('it waits to be committed', async () => (await commits.waiting()) > 1)
  // The gateway has two transactions at a time.
  const second = send(1, 'second')
  await eventually('so does another one', async () => (await commits.waiting()) > 2)
  // Bit by bit: work of the gateway's own that has nothing to commit may be answered meanwhile, and the silence begins anew.
  await eventually('PostgreSQL is asked', async () => {
    pass(SILENT_AFTER_MS / 2)
    return (await commits.asking()) > 0
  })
  await passUntil(first)
  expect(codeOf(await first)).toEqual([503, 'outcome_unknown'])
  await second
  // Each would wait behind those that get no answer.
  for (const refused of [await send(2), await send(2, 'later')])
    expect(codeOf(refused)).toEqual([503, 'unavailable'])
  // A gateway for which time went more quickly than for PostgreSQL asks again first.
  await eventually('reads go on', async () => {
    const { status } = await call(front.url, ofAccount(2), { path: BALANCE })
    return status === 200
  })
  expect(await commits.waiting()).toBeGreaterThan(2)
  await commits.release()
  await eventually('it is back', async () => {
    pass(SILENT_AFTER_MS)
    return (await send(0, 'first')).status === 200
  })
  expect((await send(2)).status).toBe(200)
})

it('lets a gateway that starts meanwhile wait, and start', async () => {
  const { pulse, pass } = handPulse()
  const commits = await holdCommits(pair.url)
  const starting = openFront(pair.url, {}, { silentAfterMs: SILENT_AFTER_MS, pulse })
  await eventually('its start waits to be committed', async () => (await commits.waiting()) > 0)
  pass(10 * SILENT_AFTER_MS)
  await commits.release()
  const late = await starting
  expect((await call(late.url, ofAccount(0), { path: BALANCE })).status).toBe(200)
  await late.close()
})
