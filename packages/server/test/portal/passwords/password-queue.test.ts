import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../../src/kernel/ids.ts'
import { PasswordQueue } from '../../../src/sign-in/portal/passwords/password-queue.ts'
import { createMovedClock } from '../../../src/testing/clock.ts'
import { useStore } from '../../support/engine.ts'
import { kindsOf } from '../guesses.ts'
import { openReception, PASSWORD } from '../reception.ts'

describe('passwords that come at once', () => {
  const store = useStore('SQLite in memory')

  it('are checked two at a time and in order, while 20 wait and the rest is told to come back', async () => {
    const order: string[] = []
    let running = 0
    let most = 0
    const at = openReception({
      database: store.database,
      async check(password) {
        running++
        most = Math.max(most, running)
        order.push(password)
        await turn()
        running--
        return false
      },
    })
    const tries = Array.from({ length: 30 }, (_, index) =>
      at.signIn({ email: `${index}@acme.example`, password: `password ${index}` }),
    )
    const results = await Promise.all(tries)
    expect(kindsOf(results)).toEqual({ wrong: 22, busy: 8 })
    expect(results.slice(22)).toEqual(Array.from({ length: 8 }, () => ({ kind: 'busy' })))
    expect(order).toEqual(Array.from({ length: 22 }, (_, index) => `password ${index}`))
    expect(most).toBe(2)
    expect(await at.attempts()).toBe(22)
  })

  it('leave the way free for the next one when a check breaks', async () => {
    let broken = true
    const at = openReception({
      database: store.database,
      async check() {
        if (broken) throw new Error('on purpose')
        return true
      },
    })
    await at.account('ama@acme.example')
    const tries = Array.from({ length: 22 }, () => at.signIn({ password: PASSWORD }))
    const ended = await Promise.allSettled(tries)
    // Each counts as a failure until it is settled, so the eleventh finds a lock.
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(10)
    broken = false
    at.advance(15 * 60_000)
    expect(await at.signIn()).toMatchObject({ kind: 'in' })
  })

  it('leave the processor to others while they want all of it, and keep nobody waiting who was checked', async () => {
    const clock = createMovedClock(epochMs(1_000_000))
    let wanted = true
    const lane = new PasswordQueue({ atOnce: 1, waiting: 20, clock, busy: () => wanted })
    const done: string[] = []
    const check = (name: string) =>
      lane.run(async () => {
        clock.moveTo(epochMs(clock.now() + 300))
        done.push(name)
      })
    await check('first')
    const behind = check('second')
    await turn()
    expect(done).toEqual(['first'])
    clock.moveTo(epochMs(clock.now() + 6 * 300 - 1))
    await turn()
    expect(done).toEqual(['first'])
    wanted = false
    clock.moveTo(epochMs(clock.now() + 1))
    await behind
    await check('third')
    expect(done).toEqual(['first', 'second', 'third'])
  })

  it('pass their place on at once where they took no time, by a clock that stands still', async () => {
    const clock = createMovedClock(epochMs(1_000_000))
    const lane = new PasswordQueue({ atOnce: 1, waiting: 20, clock, busy: () => true })
    expect(await lane.run(async () => 'first')).toBe('first')
    expect(await lane.run(async () => 'second')).toBe('second')
  })
})
