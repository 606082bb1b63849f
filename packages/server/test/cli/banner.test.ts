import { expect, it } from 'vitest'
import { banner } from '../../src/cli/serve/greeting.ts'
import { loadConfig } from '../../src/config/config.ts'

const bannerOn = (database: string) =>
  banner({
    url: 'http://127.0.0.1:8080',
    metricsUrl: undefined,
    signInUrl: undefined,
    simulated: undefined,
    config: loadConfig({ database }, {}),
    demo: undefined,
  })

it.each([
  ['postgres://user:a-password@db/name', 'postgres://…@db/name'],
  ['postgres://user:a-pass/a-password@db/name', 'postgres://…@db/name'],
  ['postgres://user:a@a-password@db/name', 'postgres://…@db/name'],
  ['postgres://db/name?user=user&password=a-password', 'postgres://db/name'],
  ['file:./a@b.db', 'file:./a@b.db'],
])('the banner shows %s as %s', (database, shown) => {
  expect(bannerOn(database).split('\n')).toContain(`  database      ${shown}`)
  expect(bannerOn(database)).not.toContain('a-password')
})
