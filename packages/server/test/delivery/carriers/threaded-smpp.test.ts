import { describe, expect, it } from 'vitest'
import { type Standing, ThreadedSmpp } from '../../../src/delivery/carriers/threaded-smpp.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { settingsFor, submission } from './smpp-carrier.ts'

/** A carrier whose thread stands as the test says, and answers nothing. */
function open() {
  const carrier = new ThreadedSmpp(settingsFor(1), 1, {
    clock: systemClock,
    isUp: true,
    call: () => new Promise(() => {}),
    tell() {},
    join() {},
    leave() {},
  })
  let changes = 0
  carrier.start({
    onReceipts: async () => {},
    onLateAnswer() {},
    onChange: () => {
      changes++
    },
    onFault: (error) => expect.unreachable(String(error)),
  })
  const state = { kind: 'up', reason: '', inWindow: 0, rests: 0, unreadable: 0, inbound: 0 } as const
  return {
    carrier,
    submit: (count: number) => {
      for (let sent = 0; sent < count; sent++) void carrier.submit(submission())
    },
    stand: (standing: Partial<Standing>) =>
      carrier.hear({
        kind: 'stands',
        carrier: 1,
        state,
        capacity: 8,
        enough: 2,
        seen: 0,
        isChange: false,
        ...standing,
      }),
    changes: () => changes,
  }
}

describe('the capacity of a carrier in a thread', () => {
  it('is less by submissions that the thread has not seen', () => {
    const { carrier, submit, stand } = open()
    stand({ capacity: 8 })
    submit(3)
    expect(carrier.capacity()).toBe(5)
    stand({ capacity: 7, seen: 1 })
    expect(carrier.capacity()).toBe(5)
    stand({ capacity: 5, seen: 3 })
    expect(carrier.capacity()).toBe(5)
  })

  it('is told of when enough is back, whoever has asked meanwhile, and once', () => {
    const { carrier, submit, stand, changes } = open()
    stand({ capacity: 8 })
    submit(8)
    expect(carrier.capacity()).toBe(0)
    stand({ capacity: 1, seen: 8 })
    expect([carrier.capacity(), changes()]).toEqual([1, 0])
    stand({ capacity: 2, seen: 8 })
    expect(changes()).toBe(1)
    stand({ capacity: 8, seen: 8 })
    expect(changes()).toBe(1)
  })
})
