import { expect, it, onTestFinished } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { walletsOf } from '../../src/money/wallets.ts'
import { insertRows } from '../../src/store/rows.ts'
import { formsOf } from '../assistants/oauth/person.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { messageRow } from '../history/message-rows.ts'
import { makePlace, open } from '../support/engine.ts'

it('a person opens twice as many pages as they may send forms, and nobody is limited by another', async () => {
  const clock = { ...systemClock, elapsed: () => 0 }
  const world = await openWorld({ clock, config: { rateLimit: { perSecond: 1, burst: 3 } } })
  const [ama, kofi] = [await world.resident('ama'), await world.resident('kofi')]
  // The first was opened by the sign-in.
  const you = await ama.person.visit(`${world.url}/you`)
  for (const path of ['/wallet', '/messages/live', '/rates.csv', '/insights']) {
    const { status } = await ama.person.send(`${world.url}${path}`, { method: 'HEAD' })
    expect([path, status]).toEqual([path, 200])
  }
  const refused = await ama.person.visit(`${world.url}/messages`)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  const theme = formsOf(you).find(({ action }) => action.endsWith('/theme'))
  const sent = await ama.person.send(theme?.action ?? '', {
    method: 'POST',
    headers: { origin: world.url },
    body: new URLSearchParams({ ...theme?.hidden, theme: 'dark' }),
  })
  expect(sent.status).toBe(303)
  expect((await kofi.person.visit(`${world.url}/wallet`)).status).toBe(200)
})

it('an account searches for words once at a time, and ten more wait', async () => {
  const { url, remove } = await makePlace('PostgreSQL')
  const holder = open(url)
  onTestFinished(async () => {
    await holder.close()
    await remove()
  })
  const world = await openWorld({ database: url })
  const ama = await world.resident('ama')
  const [wallet] = await world.gateway.database.read((tx) => walletsOf(tx, ama.accountId))
  if (!wallet) throw new Error('an account has a wallet')
  const row = messageRow(wallet, { createdAt: epochMs(1), content: 'needle' })
  await world.gateway.database.write((tx) => insertRows(tx, tx.t.messages, [row]))
  const search = () => ama.person.visit(`${world.url}/messages?q=needle`)

  let first: Awaited<ReturnType<typeof search>> | undefined
  let searches: ReturnType<typeof search>[] = []
  // None ends while the table is locked.
  await holder.write(async ({ run }) => {
    await run('LOCK TABLE messages IN ACCESS EXCLUSIVE MODE', [])
    searches = Array.from({ length: 12 }, search)
    first = await Promise.race(searches)
  })
  expect([first?.status, first?.headers.get('retry-after')]).toEqual([429, '5'])
  const statuses = (await Promise.all(searches)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([...Array.from({ length: 11 }, () => 200), 429])
})
