import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { buildRateTable } from '../../src/kernel/money/rates.ts'
import { quoteList } from '../../src/messages/sending/quote.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'
import { BULK, SINGLE } from '../support/front.ts'
import { MESSAGE } from '../support/harness.ts'
import { importNow } from '../support/import-rates.ts'

/** A wallet can hold 9,007,199,254 units at most. */
const PRICE = 9_000_000_000
const RATES = [{ country: 'GH', price: micros(PRICE * 1_000_000), currency: 'GHS' }]
const TWO_SEGMENTS = 'A text of two segments. '.repeat(8)

async function answerOf({ call }: Bench, path: string, body: object) {
  const response = await call('POST', path, {}, body)
  const { code, errors } = (await response.json()) as { code: string; errors?: { pointer: string }[] }
  return { status: response.status, code, pointers: errors?.map(({ pointer }) => pointer) }
}

describe.each(ENGINES)('a price that no wallet can hold, on %s', (engine) => {
  it('is refused, of a message and of a bulk, when it is sent, estimated and scheduled', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await importNow({ ...bench, clock: createMovedClock(bench.now()) }, RATES)
    await bench.advance(1_000)
    const dear = { ...MESSAGE, Content: TWO_SEGMENTS }
    const refused = { status: 422, code: 'invalid_value', pointers: ['/To'] }
    expect(await answerOf(bench, SINGLE, dear)).toEqual(refused)
    expect(await answerOf(bench, `${SINGLE}/estimate`, dear)).toEqual(refused)
    const SendAt = new Date(bench.now() + 3_600_000).toISOString()
    expect(await answerOf(bench, `${SINGLE}/scheduled`, { ...dear, SendAt })).toEqual(refused)
    const { From, Content } = MESSAGE
    const Recipients = [{ To: '233241234567' }, { To: '233241234568' }]
    const ofBulk = { ...refused, pointers: ['/Recipients'] }
    expect(await answerOf(bench, BULK, { From, Content, Recipients })).toEqual(ofBulk)
    const short = { status: 402, code: 'insufficient_funds', pointers: undefined }
    const together = await Promise.all([1, 2].map(() => answerOf(bench, SINGLE, MESSAGE)))
    expect(together).toEqual([short, short])
  })
})

it('a list of which the sum is one that no wallet can hold is refused in the console as well', async () => {
  const recipients = ['233241234567', '233241234568'].map((to) => ({ to, reference: '', content: 'Hello' }))
  const principal = {
    accountId: 'account-w',
    clientId: 'client-w',
    wallet: { id: 'w', currency: 'GHS' },
    senders: new Map([['WIGWAG', 'approved' as const]]),
  }
  await expect(
    quoteList(async () => buildRateTable(RATES), { principal, sender: 'WIGWAG', recipients }),
  ).rejects.toMatchObject({
    code: 'invalid_value',
  })
})
