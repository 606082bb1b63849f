import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeCarrier } from '../../../smpp/test/peers.ts'
import { checkStandings } from '../support/books.ts'
import { eventually } from '../support/eventually.ts'
import { BULK, bulk, call, openFront } from '../support/front.ts'

type Fake = Awaited<ReturnType<typeof fakeCarrier>>

/** A gateway whose carriers are in a file that is written again and again. */
async function openWithFile(carriers: Record<string, Fake>) {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-reload-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  /** Each carrier with its window; those left out are gone. */
  const write = (windows: Record<string, number>) => {
    const entries = Object.entries(windows).map(([name, window]) => {
      const url = `smpp://demo@127.0.0.1:${carriers[name]?.port}`
      return [name, { url, passwordEnv: 'PASSWORD', window, reconnectMs: 100 }]
    })
    const ways = Object.keys(windows).map((name) => ({ name }))
    const file = { carriers: Object.fromEntries(entries), routes: [{ prefix: '', carriers: ways }] }
    return writeFile(join(folder, 'carriers.json'), JSON.stringify(file))
  }
  await write({ north: 10 })
  const front = await openFront(':memory:', {
    carrier: { given: 'file:./carriers.json', folder, variables: () => ({ PASSWORD: 'demo' }) },
  })
  onTestFinished(front.close)
  return { front, write, account: await front.account('a', 100_000_000) }
}

describe('carriers that are read again while messages are under way', () => {
  it('lose no message, and none goes out twice', async () => {
    const carriers = { north: await fakeCarrier({ answerMs: 5 }), south: await fakeCarrier({ answerMs: 5 }) }
    const { front, write, account } = await openWithFile(carriers)
    const numbers = Array.from({ length: 600 }, (_, index) => `23324${1_000_000 + index * 7}`)
    for (let from = 0; from < 600; from += 100) {
      const body = bulk(numbers.slice(from, from + 100))
      expect(await call(front.url, account, { path: BULK, body })).toMatchObject({ status: 200 })
      const next = [{ north: 20, south: 5 }, { south: 5 }, { north: 3, south: 7 }][(from / 100) % 3]
      if (next) await write(next)
      await front.gateway.reloadCarriers()
    }
    const statuses = () =>
      front.gateway.database.read(({ run }) =>
        run<{ status: string; count: number }>(
          'SELECT status, count(*) AS count FROM messages GROUP BY 1',
          [],
        ),
      )
    await eventually('all are delivered', async () => {
      const [only, ...others] = await statuses()
      return only?.status === 'success' && only.count === 600 && others.length === 0
    })
    await checkStandings(front.gateway.database)
    const taken = [...carriers.north.taken, ...carriers.south.taken].map(({ destination }) => destination)
    expect(taken.sort()).toEqual(numbers)
    expect(carriers.north.taken.length).toBeGreaterThan(0)
    expect(carriers.south.taken.length).toBeGreaterThan(0)
  })
})
