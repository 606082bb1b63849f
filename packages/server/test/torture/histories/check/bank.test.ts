import { describe, expect, it } from 'vitest'
import { checkBank } from './bank.ts'
import {
  balance,
  book,
  CANCELLED,
  cancel,
  DELIVERED,
  failed,
  ledger,
  made,
  ok,
  search,
  seen,
  send,
  status,
  troublesBy,
  unknown,
} from './hand-made.ts'

const troubles = troublesBy(checkBank)

const debit = (amount: number) => ({ kind: 'debit', amount, reference: `d${amount}` }) as const

describe('the bank', () => {
  it('finds nothing where there is nothing', () => {
    expect(troubles()).toEqual([])
  })

  it.each([
    ['before a hold that may have come', 1_000],
    ['after it', 800],
  ])('explains a balance during an unanswered send: %s', (_, has) => {
    const sent = send(20, [1, 2], { mark: 'b', to: ['1', '2'] }, unknown)
    const shown = [seen('t3', 'b', 'success', { cost: 100 }), seen('t4', 'b', 'success', { cost: 100 })]
    const found = search(10, [1_010, 1_011], [DELIVERED, CANCELLED, ...shown])
    const books = [balance(7, [120, 130], has + 400), balance(9, [1_000, 1_001], 1_200)]
    expect(troubles(sent, found, ...books)).toEqual([])
    expect(troubles(sent, found, balance(7, [120, 130], 1_300))).toHaveLength(2)
  })

  it('does not explain a balance by a send that later reads show was never accepted', () => {
    const sent = send(20, [1, 2], { mark: 'b' }, unknown)
    expect(troubles(sent, balance(7, [120, 130], 1_300))).toEqual([
      'w: a balance was 1300; possible were 1400 and any of []',
    ])
  })

  it('explains a balance that is read while a send is answered', () => {
    expect(troubles(balance(7, [5, 25], 1_000))).toEqual([])
    expect(troubles(balance(7, [5, 25], 900))).toEqual([])
  })

  it('does not take a refused cancellation for a sign that the hold is still there', () => {
    const refused = cancel(4, [560, 570], failed('not_cancellable'))
    const expired = seen('t2', 's', 'expired')
    const later = [
      status(21, [700, 710], ok(expired), 't2'),
      search(10, [1_010, 1_011], [DELIVERED, expired]),
    ]
    expect(troubles(refused, ...later, balance(7, [540, 550], 1_400))).toEqual([])
  })

  it('counts an unanswered send from the read on that showed it', () => {
    const lost = send(20, [40, 50], { mark: 'b' }, unknown)
    const delivered = seen('t3', 'b', 'success', { cost: 100 })
    const shown = [
      search(21, [60, 62], [seen('t3', 'b', 'pending')], 'b'),
      search(10, [1_010, 1_011], [DELIVERED, CANCELLED, delivered]),
      balance(9, [1_000, 1_001], 1_300),
    ]
    expect(troubles(lost, ...shown, balance(7, [120, 130], 1_300))).toEqual([])
    expect(troubles(lost, ...shown, balance(7, [120, 130], 1_400))).toEqual([
      'w: a balance was 1400; possible were 1300 and any of []',
    ])
  })

  it('compares the least and the most where too much is open to try all sums', () => {
    const lost = Array.from({ length: 16 }, (_, index) => 2 ** index).map((amount) =>
      book(100 + amount, [1, 2], { kind: 'credit', amount, reference: `c${amount}` }, unknown),
    )
    const entries = lost.flatMap(({ ask }, index) =>
      'amount' in ask ? [{ seq: 4 + index, kind: 'credit', amount: ask.amount, before: 0, after: 0 }] : [],
    )
    const books = [ledger(11, [1_020, 1_021], entries), balance(9, [1_000, 1_001], 1_400 + 2 ** 16 - 1)]
    expect(troubles(...lost, ...books, balance(7, [120, 130], 1_400 + 2 ** 16 - 1))).toEqual([])
    expect(troubles(...lost, ...books, balance(7, [120, 130], 1_400 + 2 ** 16))).toHaveLength(1)
    expect(troubles(...lost, ...books, balance(7, [120, 130], 1_399))).toHaveLength(1)
  })

  it('finds a balance below zero', () => {
    expect(troubles(balance(7, [120, 130], -1))).toEqual(['w: a balance was -1'])
  })

  it('finds a credit that is missing after it was acknowledged, and one that is there before it was asked for', () => {
    expect(troubles(balance(7, [120, 130], 900))).toEqual([
      'w: a balance was 900; possible were 1400 and any of []',
    ])
    expect(troubles(balance(7, [92, 94], 1_400))).toEqual([
      'w: a balance was 1400; possible were 900 and any of []',
    ])
  })

  it('finds a hold that is missing, and one that was released before the message ended', () => {
    expect(troubles(balance(7, [12, 13], 1_000))).toHaveLength(1)
    expect(
      troubles(status(8, [140, 150], ok(seen('t1', 'a', 'expired'))), balance(7, [72, 75], 1_000)),
    ).toContain('w: a balance was 1000; possible were 900 and any of []')
  })

  it('finds a hold that was not released by the end', () => {
    expect(troubles(balance(9, [1_000, 1_001], 1_300))).toEqual([
      'w: a balance was 1300; possible were 1400 and any of []',
    ])
  })

  it('finds a send and a debit that the wallet could not pay', () => {
    const large = { mark: 'b', price: 2_000 }
    expect(troubles(send(20, [80, 90], large, made('t3')))).toContain('w: 2000 were paid out of at most 900')
    expect(troubles(book(20, [80, 90], debit(901), ok({ repeated: false })))).toContain(
      'w: 901 were paid out of at most 900',
    )
  })

  it('does not let a send be paid with what it released itself', () => {
    const large = send(20, [80, 90], { mark: 'b', price: 1_000 }, made('t3'))
    const expired = status(21, [84, 86], ok(seen('t3', 'b', 'expired')), 't3')
    expect(troubles(large, expired)).toContain('w: 1000 were paid out of at most 900')
  })

  it('finds a refusal for money that was there', () => {
    expect(troubles(send(20, [80, 90], { mark: 'b' }, failed('insufficient_funds')))).toEqual([
      'w: 100 were refused, with at least 900 there',
    ])
    expect(troubles(book(20, [80, 90], debit(900), failed('short')))).toEqual([
      'w: 900 were refused, with at least 900 there',
    ])
    expect(troubles(book(20, [80, 90], debit(901), failed('short')))).toEqual([])
  })
})
