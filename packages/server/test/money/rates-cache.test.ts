import { micros } from '@wigwag/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { priceFor } from '../../src/kernel/money/rates.ts'
import { parseRecipient } from '../../src/kernel/phone/phone.ts'
import { CachedRates, replaceRates } from '../../src/money/rates.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { open } from '../support/engine.ts'

const NOON = epochMs(Date.parse('2026-01-05T12:00:00Z'))
const recipient = parseRecipient('233302123456')

async function openRates() {
  const database = open(':memory:')
  onTestFinished(() => database.close())
  await migrate(database)
  const moved = createMovedClock(NOON)
  let setBackMs = 0
  const rates = new CachedRates(database, { ...moved, now: () => epochMs(moved.now() - setBackMs) }, 1_000)
  return {
    importPrice: (price: number) =>
      database.write((tx) =>
        replaceRates(tx, [{ country: 'GH', price: micros(price), currency: 'GHS' }], {
          sample: false,
          version: `version ${price}`,
        }),
      ),
    price: async () => priceFor(await rates.table(), recipient, 'GHS')?.unitPrice,
    pass: (ms: number) => moved.moveTo(epochMs(moved.now() + ms)),
    setBack(ms: number) {
      setBackMs += ms
    },
  }
}

describe('the rate table', () => {
  it('has new prices a second after their import', async () => {
    const { importPrice, price, pass } = await openRates()
    await importPrice(1)
    expect(await price()).toBe(1)
    await importPrice(2)
    pass(999)
    expect(await price()).toBe(1)
    pass(1)
    expect(await price()).toBe(2)
  })

  it('has them as soon when the wall clock is set back an hour', async () => {
    const { importPrice, price, pass, setBack } = await openRates()
    await importPrice(1)
    expect(await price()).toBe(1)
    await importPrice(2)
    setBack(3_600_000)
    pass(1_000)
    expect(await price()).toBe(2)
  })
})
