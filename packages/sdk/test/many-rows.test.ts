import { describe, expect, it } from 'vitest'
import { estimateMany } from '../src/segments/index.ts'
import { fakeCall } from '../src/testing/index.ts'
import { list, message, start } from './bulk-gateway.ts'

describe('a refused row', () => {
  it('is pointed at where it is in the list, whatever request it was in', async () => {
    const { sms, gateway } = start()
    const rows = list(9)
    for (const at of [1, 4, 7]) gateway.invalid.add(rows[at]?.To ?? '')
    const { outcomes } = await sms.sendToMany(message, rows, { partSize: 3, concurrency: 1 })
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'refused' ? outcome : []))
    expect(refused.map(({ index, field }) => [index, field?.pointer])).toEqual([
      [1, '/Recipients/1/To'],
      [4, '/Recipients/4/To'],
      [7, '/Recipients/7/To'],
    ])
    for (const { field, error } of refused) expect(error).toMatchObject({ errors: [field] })
  })

  it('is pointed at also in the error of a request that is refused as a whole', async () => {
    const { sms, gateway } = start()
    const errors = [
      { pointer: '/From', code: 'invalid_sender', detail: 'Not ACME.' },
      { pointer: '/Recipients/0/To', code: 'invalid_recipient', detail: 'Not this one.' },
    ]
    gateway.faults = [undefined, { status: 422, code: 'invalid_sender', errors }]
    const report = await sms.sendToMany(message, list(6), { partSize: 3, concurrency: 1 })
    expect(report).toMatchObject({ accepted: 3, refused: 3 })
    expect(report.error).toMatchObject({ errors: [{ pointer: '/From' }, { pointer: '/Recipients/3/To' }] })
    expect(report.error).toMatchObject({ body: { errors } })
  })

  it('is pointed at alike where it is refused before a request, and in an estimate', async () => {
    const { sms } = start()
    const [first, , third] = list(3)
    const rows = [
      { ...first, To: '233200000000', Name: 'Ama' },
      { To: '233200000001', Name: '' },
      { ...third, To: '233200000000', Name: 'Esi' },
    ]
    const text = { ...message, Content: 'Dear {Name}' }
    const { outcomes } = await sms.sendToMany(text, rows, { dedupe: 'refuse' })
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'refused' ? outcome.field?.pointer : [],
    )
    expect(refused).toEqual(['/Recipients/1', '/Recipients/2/To'])
    const pointers: string[] = []
    const onRefused = ({ field }: { field: { pointer: string } }) => pointers.push(field.pointer)
    const estimateCost = () => fakeCall(estimate)
    await estimateMany({ estimateCost }, text, [...rows, { To: '0', Name: 'Yaa' }], {
      dedupe: 'refuse',
      onRefused,
    })
    expect(pointers.sort()).toEqual(['/Recipients/1', '/Recipients/2/To', '/Recipients/3/To'])
  })
})

const estimate = { Segments: 1, Encoding: 'GSM-7', UnitPrice: 1, Cost: 1, Currency: 'GHS', Country: 'GH' }
