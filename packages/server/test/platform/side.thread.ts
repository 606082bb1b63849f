/** Does what a test asks of it. */
import { serveFirstThread } from '../../src/kernel/process/first-thread.ts'
import type { SideAsk, SideTold } from './side-threads.ts'

serveFirstThread<SideAsk, string, SideTold>(({ clock, tell }) => ({
  async answer(ask) {
    switch (ask) {
      case 'end':
        return process.exit(3)
      case 'throw':
        setImmediate(() => {
          throw new Error('thrown where nobody catches it')
        })
        break
      case 'reject':
        void Promise.reject(new TypeError('rejected where nobody waits'))
        break
      case 'fail':
        throw new Error('failed at it')
      case 'spin':
        for (;;);
      case 'hang':
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
        break
      case 'keep':
        return new Promise(() => {})
      case 'time':
        return String(clock.now())
      case 'tell':
        tell('told')
    }
    return `did ${ask}`
  },
  async close() {},
}))
