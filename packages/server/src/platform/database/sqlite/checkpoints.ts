import { Worker } from 'node:worker_threads'

/** Next to this file, both in the sources and in the build. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './checkpoint.thread.ts' : './checkpoint.thread.js',
  import.meta.url,
)
/** A command or an idle gateway needs no thread. */
const COMMITS_BEFORE_IT_STARTS = 1_000
const PAUSE_MS = 300

export interface Checkpoints {
  /** Call after each commit. */
  committed(): void
  close(): Promise<void>
}

/**
 * Checkpoints a busy database from a thread. SQLite also checkpoints within a commit once the log is long, and that
 * commit waits; the thread leaves it little to do. If the thread fails, some commits take longer.
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
