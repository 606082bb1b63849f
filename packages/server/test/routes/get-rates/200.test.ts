import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zEstimate, zRates } from '@wigwag/contract/validators'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readRatesFile } from '../../../src/cli/operator/rates.ts'
import { createMovedClock } from '../../../src/testing/clock.ts'
import { answerOf } from '../../isolation/requests.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../../support/bench.ts'
import { MESSAGE } from '../../support/harness.ts'
import { importNow } from '../../support/import-rates.ts'

const ratesOf = ({ call }: Bench, country: string) => answerOf(call('GET', `/v1/rates/${country}`), zRates)

/** Does what `wigwag rates import` does, beside a gateway that runs. */
async function importFile(bench: Bench, rows: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-rates-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'rates.csv')
  await writeFile(file, ['country,mcc,mnc,network,price,currency', ...rows].join('\n'))
  const clock = createMovedClock(bench.now())
  await importNow({ ...bench, clock }, (await readRatesFile(file)).rates)
}

describe('getRates: 200', () => {
  it.each(['GH', 'gh', 'Gh'])(
    'answers %s with the price for any network and those of some',
    async (country) => {
      expect(await ratesOf(await openBench(), country)).toEqual({
        Country: 'GH',
        Currency: 'GHS',
        DefaultPrice: 0.045,
        Networks: [
          { Network: 'MTN', Mcc: '620', Mnc: '01', Price: 0.042 },
          { Network: 'Telecel', Mcc: '620', Mnc: '02', Price: 0.045 },
          { Network: 'AT', Mcc: '620', Mnc: '03', Price: 0.048 },
        ],
        Sample: true,
      })
    },
  )

  it('answers no network where none has a price of its own', async () => {
    const { Networks, DefaultPrice } = await ratesOf(await openBench(), 'ZM')
    expect([Networks, DefaultPrice]).toEqual([[], 0.408])
  })

  it('answers no default where only networks have a price, and others cannot be sent to', async () => {
    const bench = await openBench()
    await importFile(bench, ['GH,620,01,MTN,0.03,GHS', 'GH,,,,9.99,EUR'])
    await bench.advance(1_000)
    const rates = await ratesOf(bench, 'GH')
    expect(rates).not.toHaveProperty('DefaultPrice')
    expect(rates.Networks).toEqual([{ Network: 'MTN', Mcc: '620', Mnc: '01', Price: 0.03 }])
    expect((await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)).status).toBe(200)
    const response = await bench.call('POST', '/v1/messages/sms', {}, { ...MESSAGE, To: '233201234567' })
    expect(await response.json()).toMatchObject({ code: 'no_rate', errors: [{ pointer: '/To' }] })
  })
})

describe.each(ENGINES)('an import on %s', (engine) => {
  it('changes the prices that are answered, estimated and charged, within a second', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const estimate = () => answerOf(bench.call('POST', '/v1/messages/sms/estimate', {}, MESSAGE), zEstimate)
    expect((await estimate()).Cost).toBe(0.042)
    await importFile(bench, ['GH,,,,0.5,GHS', 'GH,620,01,MTN,0.123456,GHS'])
    await bench.advance(1_000)
    expect(await ratesOf(bench, 'gh')).toEqual({
      Country: 'GH',
      Currency: 'GHS',
      DefaultPrice: 0.5,
      Networks: [{ Network: 'MTN', Mcc: '620', Mnc: '01', Price: 0.123456 }],
      Sample: false,
    })
    expect((await estimate()).Cost).toBe(0.123456)
    const { Ticket } = await (await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)).json()
    const status = async () => (await bench.call('GET', `/v1/transactions/${Ticket}/status`)).json()
    await bench.until('the message is final', async () => (await status()).Status === 'success')
    expect(await status()).toMatchObject({ Cost: 0.123456, BalanceAfter: 99.876544 })
    const gone = await bench.call('POST', '/v1/messages/sms', {}, { ...MESSAGE, To: '447400123456' })
    expect(await gone.json()).toMatchObject({
      code: 'no_rate',
      errors: [{ pointer: '/To', code: 'no_rate' }],
    })
  })
})
