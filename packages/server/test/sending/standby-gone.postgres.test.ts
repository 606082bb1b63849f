import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { settled } from '../support/books.ts'
import { open } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { BALANCE, call, type Front, openFront, SINGLE, single } from '../support/front.ts'
import { holdCommits } from '../support/held-commits.ts'
import { forkPostgresPair, type PostgresPair } from '../support/postgres.fork.ts'

let pair: PostgresPair
let front: Front
/** Of wallets of their own: a send would wait for another one of its wallet before it waits to be committed. */
let accounts: AccountSecrets[]
/** The same database beside the gateway. */
let books: Database
beforeAll(async () => {
  pair = await forkPostgresPair()
  front = await openFront(pair.url, {}, { silentAfterMs: 2_000 })
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

/** Sends until both transactions that the gateway may have at a time wait to commit, before it knows that they do. */
async function fill(round = 0) {
  const commits = await holdCommits(pair.url)
  const key = `first-${round}`
  const first = send(0, key)
  await eventually('it waits to be committed', async () => (await commits.waiting()) > 1)
  let isRefused = false
  const second = send(1, `second-${round}`).then(() => {
    isRefused = true
  })
  await eventually('so does another one', async () => isRefused || (await commits.waiting()) > 2)
  if (!isRefused) return { commits, key, first, second }
  await commits.release()
  await first
  await expect.poll(async () => (await send(2)).status).toBe(200)
  return fill(round + 1)
}

it('refuses sends while commits wait for a standby that is gone, and reads on', async () => {
  expect((await send(2, 'before')).status).toBe(200)
  await settled(books)
  const { commits, key, first, second } = await fill()
  expect(codeOf(await first)).toEqual([503, 'outcome_unknown'])
  await second
  // Each would wait behind those that get no answer.
  for (const refused of [await send(2), await send(2, 'later')])
    expect(codeOf(refused)).toEqual([503, 'unavailable'])
  expect((await call(front.url, ofAccount(2), { path: BALANCE })).status).toBe(200)
  expect(await commits.waiting()).toBeGreaterThan(2)
  await commits.release()
  await expect.poll(async () => (await send(0, key)).status).toBe(200)
  expect((await send(2)).status).toBe(200)
})
