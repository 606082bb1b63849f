import { describe, expect, it } from 'vitest'
import { book, failed, made, ok, send, troublesBy } from './hand-made.ts'
import { checkKeys } from './keys.ts'

const troubles = troublesBy(checkKeys)

describe('a key', () => {
  it('finds nothing where there is nothing', () => {
    expect(troubles()).toEqual([])
  })

  it('is of one wallet and one operation, so that another may have the same', () => {
    const other = { mark: 'b', key: 'k', operation: 'sendBulkSms' } as const
    expect(troubles(send(20, [40, 50], other, made('t3')))).toEqual([])
  })

  it('sends once, and gives the same answer again', () => {
    const same = { mark: 'a', key: 'k' }
    expect(troubles(send(20, [40, 50], same, made('t3')))).toEqual([
      'w sendSms k: a repeat was told something else',
      'w sendSms k: it was done anew under the same name',
    ])
  })

  it('belongs to its first body', () => {
    const other = { mark: 'b', key: 'k' }
    expect(troubles(send(20, [40, 50], other, failed('idempotency_key_reused')))).toEqual([])
    expect(troubles(send(20, [40, 50], other, made('t3')))).toContain('w sendSms k: two bodies won one name')
  })

  it('does not matter where a gateway was not reached', () => {
    expect(troubles(send(20, [40, 50], { mark: 'a', key: 'k' }, failed('unreached')))).toEqual([])
  })
})

describe('the reference of a booking', () => {
  it('books once', () => {
    const credit = { kind: 'credit', amount: 500, reference: 'r' } as const
    expect(troubles(book(20, [120, 130], credit, ok({ repeated: true })))).toEqual([])
    expect(troubles(book(20, [120, 130], credit, ok({ repeated: false })))).toEqual([
      'w r: it was done anew under the same name',
    ])
    expect(troubles(book(20, [120, 130], { ...credit, amount: 7 }, failed('other')))).toEqual([])
    expect(troubles(book(20, [120, 130], credit, failed('other')))).toContain(
      'w r: the winner was told of a conflict',
    )
  })
})
