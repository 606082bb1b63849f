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

/** In pages: how long the log is, and how much of it is in the file. */
interface Log {
  log: number
  checkpointed: number
}

/** What the thread answers; errors lose their class on the way. */
export type CheckpointAnswer = Log | { code: string; message: string }

/** Writes to the file what is in the log. Throws when the disk fails: SQLite's own checkpoints, after a commit, would not. */
export function checkpoint(client: Sqlite.Database): Log {
  const [done] = client.pragma('wal_checkpoint(PASSIVE)') as [Log]
  return done
}

/**
 * Checkpoints a busy database from a thread. While commits go on, the thread is never done; once the log is long, a
 * commit writes the little that is left, and the log begins anew. A checkpoint that the disk failed must end the process
 * before there is another one: its sync may succeed although the file lost what was written before, and the log would
 * begin anew without it. So they take turns, and each begins once it is known how the last one ended. Any other
 * failure is tried again later.
 */
export function createCheckpoints({ path, writer, onFatal }: CheckpointsOptions): Checkpoints {
  let commits = 0
  let lookedAt = 0
  let thread: Worker | undefined
  /** Who makes the next checkpoint: the thread, from when it is asked until it answers; else a commit, or none. */
  let turn: 'thread' | 'commit' | 'none' = 'none'

  function start(): Worker {
    const started = new Worker(THREAD, { workerData: path })
    started.on('message', (answer: CheckpointAnswer) => {
      turn = 'log' in answer && answer.log >= LONG_LOG && answer.checkpointed < answer.log ? 'commit' : 'none'
      if ('code' in answer && isDiskFailure(answer.code)) onFatal(new Error(answer.message))
    })
    // It could not open the file.
    started.on('error', () => {
      thread = undefined
      commits = 0
      turn = 'commit'
    })
    // After the listeners, since each of them would keep the process.
    started.unref()
    return started
  }

  function finish(): void {
    turn = 'none'
    try {
      checkpoint(writer)
    } catch (error) {
      if (error instanceof Error && isDiskFailure(codeOf(error))) onFatal(error)
    }
  }

  return {
    committed() {
      commits++
      if (turn === 'commit') finish()
      if (turn === 'thread') return
      const now = performance.now()
      if (now - lookedAt < PAUSE_MS) return
      lookedAt = now
      if (commits < COMMITS_BEFORE_IT_STARTS && bytesOf(`${path}-wal`) < LONG_LOG * PAGE_BYTES) return
      thread ??= start()
      turn = 'thread'
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
