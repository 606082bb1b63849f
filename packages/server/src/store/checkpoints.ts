import { Worker } from 'node:worker_threads'

/** Beside this file as it is written, and as it is built. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './checkpoint.thread.ts' : './checkpoint.thread.js',
  import.meta.url,
)
/** A command, or a gateway with little to do, needs no thread. */
const COMMITS_BEFORE_IT_STARTS = 1_000
const PAUSE_MS = 300

export interface Checkpoints {
  /** Says that something was committed. */
  committed(): void
  close(): Promise<void>
}

/**
 * Checkpoints a busy database from a thread. SQLite makes a checkpoint itself when a commit finds the log long enough,
 * and that commit waits for it: thanks to the thread there is hardly anything left to move by then. Should the thread
 * fail, commits wait a little longer.
 */
export function createCheckpoints(path: string): Checkpoints {
  let commits = 0
  let askedAt = 0
  let thread: Worker | undefined

  function start(): Worker {
    const started = new Worker(THREAD, { workerData: path })
    started.unref()
    started.on('error', () => {
      commits = Number.NEGATIVE_INFINITY
    })
    return started
  }

  return {
    committed() {
      if (++commits < COMMITS_BEFORE_IT_STARTS) return
      const now = performance.now()
      if (now - askedAt < PAUSE_MS) return
      askedAt = now
      thread ??= start()
      thread.postMessage('checkpoint')
    },
    async close() {
      await thread?.terminate()
    },
  }
}
