import { setTimeout as pause } from 'node:timers/promises'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import type { Ended, Server } from '../process/server.ts'

/** A gateway that is started again whenever it ends by itself, as a supervisor does. */
export interface Supervised {
  /** Where it listens just now. */
  urls(): readonly string[]
  demo: AccountSecrets
  /** How it ended by itself, or would not start, and what it said. */
  ends: readonly SelfEnded[]
  /** The output of the gateway that runs now. */
  said(): string
  /** Stops it for good, and says how it ended. */
  stop(): Promise<Ended>
  kill(): Promise<void>
}

export interface SelfEnded extends Ended {
  said: string
}

const RESTART_MS = 200

export async function supervise(start: () => Promise<Server>): Promise<Supervised> {
  const ends: SelfEnded[] = []
  let server = await start()
  const { demo } = server
  if (!demo) throw new Error('the banner names no demo account')
  let stopping = false
  const watching = watch()

  async function watch(): Promise<void> {
    while (!stopping) {
      const ended = await server.ended
      if (stopping) return
      ends.push({ ...ended, said: server.said() })
      await startAgain()
    }
  }

  async function startAgain(): Promise<void> {
    while (!stopping) {
      await pause(RESTART_MS)
      try {
        server = await start()
        return
      } catch (error) {
        ends.push({ code: 1, signal: null, said: String(error) })
      }
    }
  }

  async function end<T>(how: () => Promise<T>): Promise<T> {
    stopping = true
    const result = await how()
    await watching
    // It may have been starting meanwhile.
    await server.kill()
    return result
  }

  return {
    urls: () => [server.url],
    demo,
    ends,
    said: () => server.said(),
    stop: () => end(() => server.stop()),
    kill: () => end(() => server.kill()),
  }
}
