import { Worker } from 'node:worker_threads'
import { isDiskFailure } from './connection.ts'

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

/** What the thread answers; errors lose their class on the way. */
export interface FailedCheckpoint {
  code: string
  message: string
}

/**
 * Checkpoints a busy database from a thread. SQLite also checkpoints within a commit once the log is long, and that
 * commit waits; the thread leaves it little to do. A checkpoint that the disk failed is fatal like a commit: a later sync
 * may succeed although the file lost what was written before. Any other failure is tried again with a later commit.
 */
export function createCheckpoints(path: string, onFatal: (error: Error) => void): Checkpoints {
  let commits = 0
  let askedAt = 0
  let thread: Worker | undefined

  function start(): Worker {
    const started = new Worker(THREAD, { workerData: path })
    started.unref()
    started.on('message', ({ code, message }: FailedCheckpoint) => {
      if (isDiskFailure(code)) onFatal(new Error(message))
    })
    // It could not open the file. Meanwhile, some commits take longer.
    started.on('error', () => {
      thread = undefined
      commits = 0
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
