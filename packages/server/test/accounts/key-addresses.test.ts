import { describe, expect, it } from 'vitest'
import { callFrom } from '../alerts/customers.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'

const A_DAY = 86_400_000

const known = ({ database }: Bench) =>
  database.read(({ run }) =>
    run<{ address: string; untold: number }>(
      'SELECT address, untold FROM key_addresses ORDER BY used_at, address',
      [],
    ),
  )

describe.each(ENGINES)('the addresses of a key, on %s', (engine) => {
  it('are none that is new at first, and then each that was not there in 30 days, an IPv6 network as one', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await callFrom(bench, '2001:db8:1:2::1')
    await callFrom(bench, '2001:db8:1:2:ffff::9')
    await callFrom(bench, '::ffff:192.0.2.1')
    expect(await known(bench)).toEqual([
      { address: '2001:db8:1:2::/64', untold: 0 },
      { address: '192.0.2.1', untold: 1 },
    ])
    await bench.database.write(({ run }) => run('UPDATE key_addresses SET untold = 0', []))
    bench.jump(29 * A_DAY)
    await bench.advance(A_DAY / 24)
    await callFrom(bench, '192.0.2.1')
    expect(await known(bench)).toContainEqual({ address: '192.0.2.1', untold: 0 })
    bench.jump(2 * A_DAY)
    await callFrom(bench, '2001:db8:1:2::1')
    expect(await known(bench)).toEqual([
      { address: '192.0.2.1', untold: 0 },
      { address: '2001:db8:1:2::/64', untold: 1 },
    ])
  })

  it('are those of right credentials alone, and a header counts only from a proxy that is trusted', async () => {
    const database = await aPlace(engine)
    const bench = await openBench({ database, config: { trustedProxies: ['10.0.0.0/8'] } })
    const wrong = { authorization: `Basic ${btoa(`${bench.demo.clientId}:wrong`)}` }
    expect(await callFrom(bench, '192.0.2.66', wrong)).toBe(401)
    await callFrom(bench, '192.0.2.1', { 'x-forwarded-for': '203.0.113.1' })
    await callFrom(bench, '10.0.0.1', { 'x-forwarded-for': '203.0.113.2' })
    await callFrom(bench, 'not an address')
    expect((await known(bench)).map(({ address }) => address).sort()).toEqual(['192.0.2.1', '203.0.113.2'])
  })

  it('are at most fifty, and a key that has so many has no new ones', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    for (let one = 1; one <= 53; one++) {
      await callFrom(bench, `192.0.2.${one}`)
      bench.jump(1_000)
    }
    const all = await known(bench)
    expect(all).toHaveLength(50)
    // Addresses that are still to be told stay: many others hide none of them.
    expect(all.slice(-3)).toEqual([
      { address: '192.0.2.49', untold: 1 },
      { address: '192.0.2.50', untold: 1 },
      { address: '192.0.2.53', untold: 0 },
    ])
  })

  it('go with the key', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await callFrom(bench, '192.0.2.1')
    await bench.operator.rotateSecret(bench.demo.accountId)
    bench.jump(3 * A_DAY)
    await bench.advance(A_DAY / 12)
    expect(await known(bench)).toEqual([])
  })
})

it('an address of a key is seen although the same credentials were looked up for another a moment before', async () => {
  const bench = await openBench()
  await Promise.all(['192.0.2.1', '192.0.2.2'].map((address) => callFrom(bench, address)))
  expect((await known(bench)).map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.2'])
})

it('an address of a key is written once an hour, however often the key is used from there', async () => {
  const bench = await openBench()
  await bench.database.write(async ({ run }) => {
    await run('CREATE TABLE noted (id TEXT)', [])
    for (const change of ['INSERT', 'UPDATE'])
      await run(
        `CREATE TRIGGER note_${change} AFTER ${change} ON key_addresses BEGIN INSERT INTO noted VALUES (new.address); END`,
        [],
      )
  })
  for (let minute = 0; minute < 130; minute++) {
    await callFrom(bench, '192.0.2.1')
    await bench.advance(58_000)
  }
  const writes = await bench.database.read(({ run }) => run('SELECT id FROM noted', []))
  expect(writes).toHaveLength(3)
})
