import { describe, expect, it } from 'vitest'
import { failingReceivers } from '../../src/callbacks/index.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'
import type { EngineName } from '../support/engine.ts'
import { SINGLE, single } from '../support/front.ts'

const A_MINUTE = 60_000
const A_DAY = 24 * 60 * A_MINUTE

const failing = ({ database }: Bench, most = 10) => database.read((tx) => failingReceivers(tx, most))

async function openOn(engine: EngineName) {
  let taking = false
  const bench = await openBench({
    database: await aPlace(engine),
    answer: ({ url }) => new Response('', { status: taking || url.includes('good') ? 200 : 500 }),
  })
  return {
    bench,
    send: (CallbackUrl: string) => bench.call('POST', SINGLE, {}, { ...single(), CallbackUrl }),
    take() {
      taking = true
    },
  }
}

describe.each(ENGINES)('receivers that fail, on %s', (engine) => {
  const open = () => openOn(engine)

  it('are known after the third attempt, long before a callback is given up', async () => {
    const { bench, send } = await open()
    for (let n = 0; n < 3; n++) await send('https://shop.example/sms')
    await bench.advance(A_MINUTE)
    expect(await failing(bench)).toEqual([])
    await bench.advance(10 * A_MINUTE)
    expect(await failing(bench)).toEqual([
      {
        accountId: bench.demo.accountId,
        name: expect.any(String),
        callbacks: 3,
        hosts: ['shop.example'],
      },
    ])
  })

  it('are no more once they took one, although the others still wait for their time', async () => {
    const { bench, send, take } = await open()
    await send('https://shop.example/sms')
    await bench.advance(10 * A_MINUTE)
    expect(await failing(bench)).toHaveLength(1)
    take()
    await send('https://shop.example/sms')
    await bench.advance(5_000)
    expect(await failing(bench)).toEqual([])
  })

  it('are known beside others of the same customer that take theirs', async () => {
    const { bench, send } = await open()
    await send('https://shop.example/sms')
    await bench.advance(10 * A_MINUTE)
    await send('https://good.example/sms')
    await bench.advance(5_000)
    expect(await failing(bench)).toMatchObject([{ hosts: ['shop.example'], callbacks: 1 }])
  })
})

it('receivers that fail are found by their index on SQLite, whatever else waits', async () => {
  const { bench } = await openOn('SQLite in memory')
  const plan = await bench.database.read(({ run }) =>
    run(
      `EXPLAIN QUERY PLAN SELECT owner FROM outbox
       WHERE kind = 'callback' AND lane = '' AND attempts >= 3 AND owner > '' ORDER BY owner LIMIT 1`,
      [],
    ),
  )
  expect(JSON.stringify(plan)).toContain('outbox_tried')
  expect(JSON.stringify(plan)).not.toContain('TEMP B-TREE')
})

it('receivers are none that fail when all is given up, which is told otherwise', async () => {
  const { bench, send } = await openOn('SQLite in memory')
  await send('https://shop.example/sms')
  await bench.advance(6 * A_DAY)
  expect(await failing(bench)).toEqual([])
})
