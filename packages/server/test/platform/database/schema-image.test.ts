import { expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../../src/platform/database/migrate.ts'
import { schemaImage } from '../../../src/platform/database/schema-image.ts'
import { claimSetting, readSetting } from '../../../src/platform/database/settings.ts'
import { openSqlite } from '../../../src/platform/database/sqlite/sqlite.ts'

async function openCopy() {
  const database = openSqlite({
    path: ':memory:',
    image: await schemaImage(),
    onFatal(error) {
      throw error
    },
  })
  onTestFinished(() => database.close())
  return database
}

it('begins a database with all of the schema, which is its own from then on', async () => {
  const [one, other] = [await openCopy(), await openCopy()]
  expect(await migrate(one)).toEqual({ taken: [], waiting: [], gateways: [], beside: [] })
  await one.write((tx) => claimSetting(tx, 'environment', 'sandbox'))
  for (const database of [other, await openCopy()])
    expect(await database.read((tx) => readSetting(tx, 'environment'))).toBeUndefined()
  expect(await one.read((tx) => readSetting(tx, 'environment'))).toBe('sandbox')
})
