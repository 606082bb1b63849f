import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type Sqlite from 'better-sqlite3'
import { codeOf, isDiskFailure } from './connection.ts'

/** Next to this file, both in the sources and in the build. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './checkpoint.thread.ts' : './checkpoint.thread.js',
  import.meta.url,
)
/** A command or an idle gateway needs no thread, unless its commits are large. */
const COMMITS_BEFORE_IT_STARTS = 1_000
const PAUSE_MS = 300
/** Under load the same pages change often. A log of 64 MB lets one write to the file cover many changes. */
const LONG_LOG = 16_000
/** The size to which the log is cut when it starts over. */
const TOO_LONG_LOG = 2 * LONG_LOG
const PAGE_BYTES = 4_096

export interface Checkpoints {
  /** Call after each commit, before the next one begins. */
  committed(): void
  close(): Promise<void>
}

export interface CheckpointsOptions {
  path: string
  /** The connection that commits. */
  writer: Sqlite.Database
  /** A checkpoint that the disk failed is fatal like a commit. */
  onFatal(error: Error): void
}

/** What the thread answers: how long the log is, in pages, or an error, which loses its class on the way. */
export type CheckpointAnswer = { log: number } | { code: string; message: string }

/**
 * Writes to the file what is in the log. Throws when the disk fails: SQLite's own checkpoints, after a commit, would
 * not.
 */
export function checkpoint(client: Sqlite.Database): { log: number } {
  const [done] = client.pragma('wal_checkpoint(PASSIVE)') as [{ log: number }]
  return done
}

/**
 * Checkpoints a busy database from a thread. The log starts over when all of it is in the file and the next commit
 * comes then, which is chance while commits go on. So once the log is long, the thread goes on without a pause, and
 * has little to do each time. If that does not happen, a commit writes the little that is left, and waits for the
 * disk.
 *
 * A checkpoint that the disk failed must end the process before there is another one: its sync may succeed although
 * the file lost what was written before, and the log would start over without it. So they take turns, and each begins
 * once it is known how the last one ended. Any other failure is tried again later.
 */
export function createCheckpoints({ path, writer, onFatal }: CheckpointsOptions): Checkpoints {
  let commits = 0
  let checkedAt = 0
  let thread: Worker | undefined
  /** From when the thread is asked until it answers, no one else makes a checkpoint. */
  let asked = false
  /** How long the log was at the last answer, in pages. */
  let length = 0

  function start(): Worker {
    const started = new Worker(THREAD, { workerData: path })
    started.on('message', (answer: CheckpointAnswer) => {
      asked = false
      length = 'log' in answer ? answer.log : 0
      if ('code' in answer && isDiskFailure(answer.code)) onFatal(new Error(answer.message))
    })
    // It could not open the file.
    started.on('error', () => {
      thread = undefined
      asked = false
      commits = 0
      length = TOO_LONG_LOG
    })
    // After the listeners, since each of them would keep the process.
    started.unref()
    return started
  }

  function finish(now: number): void {
    length = 0
    checkedAt = now
    try {
      checkpoint(writer)
    } catch (error) {
      if (error instanceof Error && isDiskFailure(codeOf(error))) onFatal(error)
    }
  }

  return {
    committed() {
      commits++
      if (asked) return
      const now = performance.now()
      if (length >= TOO_LONG_LOG) return finish(now)
      if (length < LONG_LOG && now - checkedAt < PAUSE_MS) return
      checkedAt = now
      if (commits < COMMITS_BEFORE_IT_STARTS && bytesOf(`${path}-wal`) < LONG_LOG * PAGE_BYTES) return
      thread ??= start()
      asked = true
      thread.postMessage('checkpoint')
    },
    async close() {
      await thread?.terminate()
    },
  }
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
