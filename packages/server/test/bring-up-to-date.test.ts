import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bringUpToDate } from '../src/gateway/bring-up-to-date.ts'
import { epochMs } from '../src/kernel/ids.ts'
import { migrate } from '../src/store/schema/migrate.ts'
import { writeSetting } from '../src/store/settings.ts'
import { createMovedClock } from '../src/testing/clock.ts'
import { ENGINES } from './support/bench.ts'
import { makeEmptyPlace, open } from './support/engine.ts'
import { openGateway } from './support/gateway.ts'
import { madeUpSteps } from './support/made-up-steps.ts'
import { NOW } from './support/rows-of.ts'

const TABLES = {
  '0001_schema.sql': `CREATE TABLE carrier_reports (process TEXT, at BIGINT, report TEXT);
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT)`,
}
const WIDEN = { '0002_widen_it.sql': 'CREATE TABLE parcels (id BIGINT)' }
const NARROW = { '0003_narrow_after_0002_it.sql': 'DROP TABLE parcels' }
const THREE_DAYS_MS = 259_200_000

it('gateways report the newest step that they know', async () => {
  const { advance, carriers } = await openGateway({ pollMs: 1_000 })
  await advance(1_000)
  const steps = await readdir(join(import.meta.dirname, '../migrations'))
  expect(await carriers.reports()).toMatchObject([{ schema: steps.length }])
})

it.each(ENGINES)(
  'a narrow step waits for gateways that do not know what it follows, or do not say, until their reports are old, on %s',
  async (engine) => {
    const place = await makeEmptyPlace(engine)
    const database = open(place.url)
    onTestFinished(async () => {
      await database.close()
      await place.remove()
    })
    const steps = await madeUpSteps({ ...TABLES, ...WIDEN })
    await migrate(database, steps)
    const clock = createMovedClock(NOW)
    const report = (name: string, at: number, schema?: number) =>
      database.write(({ run }) =>
        run('INSERT INTO carrier_reports (process, at, report) VALUES ($1, $2, $3)', [
          name,
          at,
          JSON.stringify({ name, version: '1.0.0', schema }),
        ]),
      )
    // The rows of a sandbox go by the time that people have moved forward.
    await database.write((tx) => writeSetting(tx, 'sandbox_clock', String(THREE_DAYS_MS)))
    const now = NOW + THREE_DAYS_MS
    await report('older', now - 29_000, 1)
    await report('silent', now - 30_000)
    await report('current', now, 2)
    await report('dead', now - 30_001, 1)
    await steps.add(NARROW)
    const migrated = () => bringUpToDate(database, { environment: 'sandbox' }, clock, steps)
    expect(await migrated()).toMatchObject({
      taken: [],
      waiting: Object.keys(NARROW),
      gateways: ['older (version 1.0.0)', 'silent (version 1.0.0)'],
    })
    clock.moveTo(epochMs(NOW + 1_001))
    expect(await migrated()).toMatchObject({ taken: Object.keys(NARROW), waiting: [] })
  },
)
