import { describe, expect, it } from 'vitest'
import { LockWait } from '../../../src/store/sqlite/connection.ts'
import { eventually } from '../../support/eventually.ts'

/** A lock that is taken, and who tries it. */
function locked(mostMs: number) {
  const lockWait = new LockWait(mostMs, (error) => error instanceof Error && error.message === 'locked')
  const lock = { taken: true, tries: 0 }
  const attempt = () => {
    lock.tries++
    if (lock.taken) throw new Error('locked')
    return 'in'
  }
  return { lock, enter: () => lockWait.run(attempt), lockWait }
}

describe('a lock of another process', () => {
  it('is tried again until it is given back', async () => {
    const { lock, enter } = locked(10_000)
    const entering = enter()
    await eventually('it is tried again', () => lock.tries > 1)
    lock.taken = false
    expect(await entering).toBe('in')
  })

  it('fails what waits when it has lasted for too long, and what comes later at its first try', async () => {
    const { lock, enter } = locked(200)
    await expect(enter()).rejects.toThrow('locked')
    expect(lock.tries).toBeGreaterThan(1)
    lock.tries = 0
    await expect(enter()).rejects.toThrow('locked')
    expect(lock.tries).toBe(1)
  })

  it('is waited for again after it was given back once', async () => {
    const { lock, enter } = locked(200)
    await expect(enter()).rejects.toThrow('locked')
    lock.taken = false
    expect(await enter()).toBe('in')
    Object.assign(lock, { taken: true, tries: 0 })
    const entering = enter()
    await eventually('it is tried again', () => lock.tries > 1)
    lock.taken = false
    expect(await entering).toBe('in')
  })

  it('is not what another error tells of', async () => {
    const { lockWait } = locked(10_000)
    const failing = lockWait.run(() => Promise.reject(new Error('on purpose')))
    await expect(failing).rejects.toThrow('on purpose')
  })
})
