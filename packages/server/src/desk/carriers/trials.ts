import { randomBytes } from 'node:crypto'

/** The test messages of this process. One is offered with its page, and sent once however often it is pressed. */
export interface Trials {
  /** Returns an id, with which one may begin. */
  offer(): string
  /**
   * Begins one that was offered, unless it has begun. Resolves when it is over, or after a while. False for one that was
   * never offered here, or too long ago.
   */
  begin(id: string, send: () => Promise<string>): Promise<boolean>
  /** One that has begun: how it ended, as a sentence; undefined while it is under way. */
  of(id: string): { result: string | undefined } | undefined
}

/** More are open at a time than people have pages; the oldest make room. */
const MOST = 500
const WAIT_MS = 2_000

interface Trial {
  over: Promise<void> | undefined
  result: string | undefined
}

export function createTrials(): Trials {
  const all = new Map<string, Trial>()

  return {
    offer() {
      const id = randomBytes(16).toString('base64url')
      const [oldest] = all.keys()
      if (oldest !== undefined && all.size >= MOST) all.delete(oldest)
      all.set(id, { over: undefined, result: undefined })
      return id
    },
    async begin(id, send) {
      const trial = all.get(id)
      if (!trial) return false
      trial.over ??= send().then(
        (result) => {
          trial.result = result
        },
        (error: unknown) => {
          trial.result = `It was not sent: ${error instanceof Error ? error.message : error}.`
        },
      )
      await Promise.race([trial.over, new Promise((resolve) => setTimeout(resolve, WAIT_MS).unref())])
      return true
    },
    of(id) {
      const trial = all.get(id)
      return trial?.over && { result: trial.result }
    },
  }
}
