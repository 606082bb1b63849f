import { afterEach, describe, expect, it } from 'vitest'
import { openSandbox, type Sandbox } from '../../server/src/testing/sandbox.ts'
import { createClient } from '../src/index.ts'
import { countSegments, estimateMany } from '../src/segments/index.ts'

const message = { From: 'WIGWAG', Content: 'Dear {Name}, we open at nine.' }
/** Numbers of several networks in three countries, with names that need one segment or more. */
const rows = [
  '233241234567',
  '233201234567',
  '233271234567',
  '2348031234567',
  '2348051234567',
  '254712345678',
  ...Array.from({ length: 30 }, (_, at) => String(233241000000 + at * 7919)),
].map((To, at) => ({ To, Name: at % 3 ? 'Ama' : 'Ama 😀 '.repeat(10) }))

let sandbox: Sandbox | undefined
afterEach(() => sandbox?.close())

/** A client of a gateway, which counts the prices that were asked for. */
async function start() {
  sandbox = await openSandbox({ balance: 1_000 })
  const { fetch, credentials, client } = sandbox
  const seen: string[] = []
  const sms = createClient({
    ...credentials,
    baseUrl: 'http://sandbox.invalid',
    fetch: (input: string | Request, init?: RequestInit) => {
      const request = new Request(input, init)
      seen.push(new URL(request.url).pathname)
      return fetch(request)
    },
  })
  return { sms, client, seen }
}

describe('estimateMany', () => {
  it('says exactly what is then charged, with a call for each number', async () => {
    const { sms, client, seen } = await start()
    const estimate = await estimateMany(sms, message, rows)
    expect(seen).toHaveLength(rows.length)
    const before = await client.getBalance()
    const { accepted } = await sms.sendToMany(message, rows)
    const after = await client.getBalance()
    const segments = rows.reduce(
      (sum, { Name }) => sum + countSegments(`Dear ${Name}, we open at nine.`).segments,
      0,
    )
    expect(estimate).toEqual({
      exact: true,
      cost: Math.round((before.balance - after.balance) * 1e6) / 1e6,
      currency: before.currency,
      recipients: accepted,
      refused: 0,
      segments,
    })
  })

  it('asks no more often than it may, and says then that it is not exact', async () => {
    const { sms, seen } = await start()
    const many = Array.from({ length: 5_000 }, (_, at) => ({
      To: String(233200000000 + at * 9_973),
      Name: 'Ama',
    }))
    const estimate = await estimateMany(sms, message, many, { calls: 60 })
    expect(seen.length).toBeLessThanOrEqual(60)
    expect(seen.length).toBeGreaterThan(5)
    expect(estimate).toMatchObject({ exact: false, segments: estimate.recipients })
    expect(estimate.recipients + estimate.refused).toBe(5_000)
    expect(await estimateMany(sms, message, rows, { calls: 1 })).toMatchObject({
      exact: false,
      recipients: 36,
    })
  })

  it('counts who would be refused, and leaves them out', async () => {
    const { sms, seen } = await start()
    const [good = { To: '', Name: '' }] = rows
    const bad = [
      { ...good, To: '0241234567' },
      { ...good, To: '99912345678' },
      { To: good.To },
      { ...good, Name: 'a'.repeat(1_530) },
      { ...good, Name: '\ud83d' },
      { ...good, Name: '\0' },
    ]
    expect(await estimateMany(sms, message, [...bad, good])).toMatchObject({
      exact: true,
      recipients: 1,
      refused: 6,
    })
    expect(seen.length).toBeLessThanOrEqual(2)
    expect(await estimateMany(sms, message, bad)).toMatchObject({ cost: 0, currency: undefined, refused: 6 })
  })

  it('says of each who would be refused why, in the words of the gateway', async () => {
    const { sms } = await start()
    const [good = { To: '', Name: '' }] = rows
    const list = [
      good,
      { ...good, To: '0241234567' },
      { ...good, To: '99912345678' },
      { ...good, Name: ' ' },
      { ...good, Name: 'a'.repeat(1_530) },
      { ...good, To: '23324123456789012' },
    ]
    const told = new Map<number, string>()
    await estimateMany(sms, message, list, { onRefused: ({ index, field }) => told.set(index, field.detail) })
    expect([...told.keys()].toSorted()).toEqual([1, 2, 3, 4, 5])
    const { outcomes } = await sms.sendToMany(message, list)
    const refused = outcomes.flatMap((one) =>
      one.status === 'refused' ? [[one.index, one.field?.detail] as const] : [],
    )
    expect(told).toEqual(new Map(refused))
  })

  it('names every number of a group that the gateway refuses, and the one that it was asked for', async () => {
    const { sms } = await start()
    const list = [...rows, ...Array.from({ length: 12 }, (_, at) => ({ To: `9991234560${at}`, Name: 'Ama' }))]
    const told: string[] = []
    const { refused } = await estimateMany(sms, message, list, {
      calls: 5,
      onRefused: ({ recipient, field }) => told.push(`${recipient.To} ${field.detail}`),
    })
    expect([refused, told.length]).toEqual([12, 12])
    expect(told[0]).toMatch(/^99912345600 Expected /)
    expect(told[11]).toMatch(/^999123456011 Like 9991234560\d+, which is refused: Expected /)
  })

  it('counts a number that comes again as sendToMany would send to it', async () => {
    const { sms } = await start()
    const twice = [...rows, ...rows]
    const once = await estimateMany(sms, message, rows)
    expect(await estimateMany(sms, message, twice)).toMatchObject({ recipients: 72, cost: once.cost * 2 })
    expect(await estimateMany(sms, message, twice, { dedupe: 'skip' })).toEqual(once)
    expect(await estimateMany(sms, message, twice, { dedupe: 'refuse' })).toEqual({ ...once, refused: 36 })
  })

  it('knows a number again however it is written', async () => {
    const { sms } = await start()
    const To = ['233241234567', '+233 24 123 4567', '+233-24-123-4567']
    const list = To.map((number) => ({ ...rows[0], To: number }))
    const skipping = { dedupe: 'skip' } as const
    expect(await estimateMany(sms, message, list)).toMatchObject({ recipients: 3, refused: 0 })
    expect(await estimateMany(sms, message, list, skipping)).toMatchObject({ recipients: 1 })
    const { outcomes } = await sms.sendToMany(message, list, skipping)
    expect(outcomes.map(({ status }) => status)).toEqual(['accepted', 'skipped', 'skipped'])
  })

  it('rejects if the message cannot be sent at all', async () => {
    const { sms } = await start()
    await expect(estimateMany(sms, { ...message, From: 'OTHER' }, rows)).rejects.toMatchObject({
      code: 'sender_not_approved',
    })
    await expect(estimateMany(sms, { ...message, Content: '' }, rows)).rejects.toMatchObject({ status: 422 })
    await expect(estimateMany(sms, { ...message, Content: '{' }, rows)).rejects.toThrow('Content: expected ')
    await expect(estimateMany(sms, message, rows, { calls: 0 })).rejects.toThrow('calls: expected ')
  })

  it('asks for no price of an empty list', async () => {
    const { sms, seen } = await start()
    expect(await estimateMany(sms, message, [])).toMatchObject({ exact: true, cost: 0, recipients: 0 })
    expect(seen).toEqual([])
  })
})
