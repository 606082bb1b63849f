import { describe, expect, it, onTestFinished } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { holdLook, lastLook, takeLook } from '../../src/operate/alerts/rows.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { aPlace, ENGINES } from '../support/bench.ts'
import { open } from '../support/engine.ts'

const [FIRST, SECOND] = [epochMs(1_000), epochMs(16_000)]

describe.each(ENGINES)('the look for troubles, on %s', (engine) => {
  async function store() {
    const database = open(await aPlace(engine))
    onTestFinished(() => database.close())
    await migrate(database)
    return database
  }

  it('is taken by exactly one of several gateways that ask at once, the first time and later', async () => {
    const database = await store()
    for (const now of [FIRST, SECOND]) {
      const last = await database.read(lastLook)
      const taken = await Promise.all(
        Array.from({ length: 5 }, (_, gateway) =>
          database.write((tx) => takeLook(tx, last, epochMs(now + gateway))),
        ),
      )
      expect(taken.filter((one) => one)).toHaveLength(1)
    }
  })

  it('counts no more when another gateway has taken the next one meanwhile', async () => {
    const database = await store()
    await database.write((tx) => takeLook(tx, undefined, FIRST))
    expect(await database.write((tx) => holdLook(tx, FIRST))).toBe(true)
    await database.write((tx) => takeLook(tx, String(FIRST), SECOND))
    expect(await database.write((tx) => holdLook(tx, FIRST))).toBe(false)
    expect(await database.write((tx) => holdLook(tx, SECOND))).toBe(true)
  })
})
