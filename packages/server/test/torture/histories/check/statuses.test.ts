import { describe, expect, it } from 'vitest'
import {
  CHARGE,
  CREDIT,
  cancel,
  DELIVERED,
  failed,
  ledger,
  OPENING,
  ok,
  search,
  seen,
  status,
  troublesBy,
} from './hand-made.ts'
import { checkStatuses } from './statuses.ts'

const troubles = troublesBy(checkStatuses)

const pending = ok(seen('t1', 'a', 'pending'))

describe('the status of a message', () => {
  it('finds nothing where there is nothing', () => {
    expect(troubles()).toEqual([])
  })

  it('is not compared where reads overlap', () => {
    expect(troubles(status(20, [145, 155], pending))).toEqual([])
  })

  it('never goes back, whichever read shows it', () => {
    expect(troubles(status(20, [160, 170], pending))).toEqual([
      't1: it was pending after it had been success',
    ])
    const charged = ledger(20, [72, 74], [CHARGE, CREDIT, OPENING], false)
    expect(troubles(charged)).toEqual(['t1: it was pending after it had been success'])
  })

  it('ends once', () => {
    expect(troubles(status(20, [145, 155], ok(seen('t1', 'a', 'expired'))))).toEqual([
      't1: it ended as success and as expired',
    ])
  })

  it('is not cancelled when it is sent, nor sent when it is cancelled', () => {
    expect(troubles(cancel(20, [65, 75], failed('not_cancellable')))).toContain(
      't2: it was cancelled, and was sent',
    )
    expect(troubles(status(20, [600, 610], ok(seen('t2', 's', 'pending')), 't2'))).toContain(
      't2: it was cancelled, and was sent',
    )
  })

  it('may be anything but scheduled and cancelled when a cancellation is refused', () => {
    expect(troubles(cancel(20, [160, 170], failed('not_cancellable'), 't1'))).toEqual([])
    const scheduled = status(21, [600, 610], ok(seen('t2', 's', 'scheduled')), 't2')
    expect(troubles(cancel(4, [560, 570], failed('not_cancellable')), scheduled)).toContain(
      't2: it was scheduled after it had been sent',
    )
  })

  it('is never scheduled nor cancelled when it was sent at once', () => {
    expect(troubles(status(5, [80, 90], ok(seen('t1', 'a', 'scheduled'))))).toEqual(['t1: it was scheduled'])
  })

  it('is scheduled until its time', () => {
    expect(troubles(status(20, [52, 55], ok(seen('t2', 's', 'pending')), 't2'))).toContain(
      't2: it was pending before its time',
    )
  })

  it('is found at each gateway from the acknowledgement on', () => {
    expect(troubles(status(20, [12, 14], failed('not_found')))).toEqual(['t1: it was not found'])
    expect(troubles(status(20, [5, 14], failed('not_found')))).toEqual([])
    expect(troubles(search(20, [5, 14], [], 'a'))).toEqual([])
    expect(troubles(search(20, [12, 14], [], 'a'))).toEqual(['t1: a search did not find it'])
    expect(troubles(search(10, [1_010, 1_011], [DELIVERED]))).toEqual(['t2: a search did not find it'])
  })

  it('is of its own send', () => {
    expect(
      troubles(search(20, [12, 14], [seen('t1', 'a', 'pending'), seen('t2', 's', 'scheduled')], 'a')),
    ).toEqual(['a search for a found t2 of s'])
    expect(troubles(status(5, [80, 90], ok(seen('t1', 'b', 'pending'))))).toEqual([
      't1: it was said to be of b',
    ])
  })

  it('costs its price when it is delivered, and nothing before or otherwise', () => {
    expect(troubles(status(5, [80, 90], ok(seen('t1', 'a', 'pending', { cost: 100 }))))).toHaveLength(1)
    expect(troubles(status(8, [140, 150], ok({ ...DELIVERED, cost: 0 })))).toHaveLength(1)
    expect(troubles(status(8, [140, 150], ok({ ...DELIVERED, after: 1_500 })))).toHaveLength(1)
  })
})
