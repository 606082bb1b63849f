import { micros } from '@wigwag/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readRates, replaceRates } from '../../src/money/rates.ts'
import type { Database, Tx } from '../../src/store/database.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { type EngineName, makePlace, open } from '../support/engine.ts'

async function openOn(engine: EngineName): Promise<Database> {
  const place = await makePlace(engine)
  onTestFinished(place.remove)
  const database = open(place.url)
  onTestFinished(() => database.close())
  await migrate(database)
  return database
}

const importPrice = (database: Database, price: number, version: string) =>
  database.write((tx) =>
    replaceRates(tx, [{ country: 'GH', price: micros(price), currency: 'GHS' }], {
      sample: false,
      version,
    }),
  )

/** The same connection, with something that is awaited before each query, and told the query's number. */
function withBefore(tx: Tx, before: (query: number) => Promise<void>): Tx {
  let queries = 0
  const wrap = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name === 'then') return before(++queries).then(() => Reflect.apply(value, target, args))
          const next: unknown = Reflect.apply(value, target, args)
          return typeof next === 'object' && next !== null ? wrap(next) : next
        }
      },
    })
  return { ...tx, db: wrap(tx.db) }
}

describe.each(['an SQLite file', 'PostgreSQL'] as const)('the rates on %s', (engine) => {
  it.each([1, 2, 3])('never pair old prices with a new version: import before query %i', async (number) => {
    const database = await openOn(engine)
    await importPrice(database, 1, 'old')
    const reached = Promise.withResolvers<void>()
    const imported = Promise.withResolvers<void>()
    const reading = database.read((tx) =>
      readRates(
        withBefore(tx, async (query) => {
          if (query !== number) return
          reached.resolve()
          await imported.promise
        }),
      ),
    )
    await reached.promise
    await importPrice(database, 2, 'new')
    imported.resolve()
    const { rates, version } = await reading
    const paired = `${version} version, price ${rates[0]?.price}`
    expect(['old version, price 1', 'old version, price 2', 'new version, price 2']).toContain(paired)
  })
})
