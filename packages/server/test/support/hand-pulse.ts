import type { Pulse } from '../../src/kernel/process/clock.ts'
import { eventually } from './eventually.ts'
import { handClock } from './hand-clock.ts'
import { turns } from './turns.ts'

/** A pulse that the test moves: a gateway looks for missing answers of PostgreSQL when the test says so. */
export interface HandPulse {
  pulse: Pulse
  /** Lets time pass. */
  pass(ms: number): void
  /** Lets time pass until a promise settles. Sockets are read meanwhile. */
  passUntil(done: Promise<unknown>): Promise<void>
  /** The same until a condition holds. */
  passUntilSo(isSo: () => boolean): Promise<void>
}

const STEP_MS = 100
/** So many steps go as quickly as they can. After them, what is waited for hangs on a server or a disk, in real time. */
const QUICK_STEPS = 1_000

export function handPulse(): HandPulse {
  const clock = handClock()
  async function passUntilSo(isSo: () => boolean): Promise<void> {
    const step = async () => {
      if (isSo()) return true
      clock.pass(STEP_MS)
      await turns()
      return isSo()
    }
    for (let steps = 0; steps < QUICK_STEPS; steps++) if (await step()) return
    await eventually('what the passing of time should bring', step)
  }
  return {
    pulse(everyMs, work) {
      let cancel = () => {}
      const next = () => {
        cancel = clock.after(everyMs, () => {
          next()
          work()
        })
      }
      next()
      return () => cancel()
    },
    pass: clock.pass,
    passUntilSo,
    passUntil(done) {
      let isDone = false
      const end = () => {
        isDone = true
      }
      done.then(end, end)
      return passUntilSo(() => isDone)
    },
  }
}
