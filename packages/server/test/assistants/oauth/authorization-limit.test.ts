import { expect, it } from 'vitest'
import { AddressLimit, HOURLY_LIMITS } from '../../../src/assistants/oauth/hourly-limits.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { openWorld } from './world.ts'

it('begins so many authorizations an hour from one address, and keeps no record of more', async () => {
  expect(HOURLY_LIMITS.authorizations).toBe(300)
  let later = 0
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + later }
  const world = await openWorld({ clock, hourlyLimits: { authorizations: 30 } })
  const assistant = await world.assistant()
  const begin = (from: string) =>
    fetch(assistant.authorizeUrl(), { redirect: 'manual', headers: { 'x-forwarded-for': from } })
  const here = '192.0.2.7'
  const answers = await Promise.all(Array.from({ length: 31 }, () => begin(here)))
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(30)
  const [refused] = answers.filter(({ status }) => status === 429)
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(3_500)
  expect(await refused?.text()).toContain('<h1>The assistant could not be connected</h1>')
  const kept = await world.gateway.database.read(({ run }) =>
    run<{ n: number }>(`SELECT count(*) AS n FROM oauth_records WHERE model = 'Interaction'`, []),
  )
  expect(kept).toEqual([{ n: 30 }])
  expect((await begin('192.0.2.8')).status).toBe(303)
  later = 3_600_000
  expect((await begin(here)).status).toBe(303)
})

it('begins 1,500 an hour from a whole site in IPv6, whatever addresses it has', () => {
  const limit = new AddressLimit(systemClock, 300)
  const from = (network: number, n: number) => limit.count(`2001:db8:${network}:${n.toString(16)}::1`)
  const refused = Array.from({ length: 1_501 }, (_, n) => from(1, n)).filter(Boolean)
  expect(refused).toHaveLength(1)
  expect(from(2, 1)).toBeUndefined()
})
