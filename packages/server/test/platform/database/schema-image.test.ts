import { expect, it, onTestFinished } from 'vitest'
import { migrate, schemaImage } from '../../../src/store/schema/migrate.ts'
import { claimSetting, readSetting } from '../../../src/store/settings.ts'
import { SqliteDatabase } from '../../../src/store/sqlite/sqlite.ts'

async function openCopy() {
  const database = new SqliteDatabase({
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
