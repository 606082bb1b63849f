import { realpathSync, statSync } from 'node:fs'
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

/** The thread's answer: the log's length in pages, or an error. Errors lose their class on the way. */
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
export class Checkpoints {
  readonly #path: string
  readonly #log: string
  readonly #writer: Sqlite.Database
  readonly #onFatal: (error: Error) => void
  #commits = 0
  #checkedAt = 0
  #thread: Worker | undefined
  /** From when the thread is asked until it answers, no one else makes a checkpoint. */
  #asked = false
  /** How long the log was at the last answer, in pages. */
  #length = 0

  /** `writer` is the connection that commits. A checkpoint that the disk failed is fatal like a commit. */
  constructor(path: string, writer: Sqlite.Database, onFatal: (error: Error) => void) {
    this.#path = path
    // SQLite keeps it beside the file that a symbolic link leads to.
    this.#log = `${realpathSync(path)}-wal`
    this.#writer = writer
    this.#onFatal = onFatal
  }

  /** Call after each commit, before the next one begins. */
  committed(): void {
    this.#commits++
    if (this.#asked) return
    const now = performance.now()
    if (this.#length >= TOO_LONG_LOG) {
      this.#finish(now)
      return
    }
    if (this.#length < LONG_LOG && now - this.#checkedAt < PAUSE_MS) return
    this.#checkedAt = now
    if (this.#commits < COMMITS_BEFORE_IT_STARTS && bytesOf(this.#log) < LONG_LOG * PAGE_BYTES) return
    this.#thread ??= this.#start()
    this.#asked = true
    this.#thread.postMessage('checkpoint')
  }

  async close(): Promise<void> {
    await this.#thread?.terminate()
  }

  #start(): Worker {
    const started = new Worker(THREAD, { workerData: this.#path })
    started.on('message', (answer: CheckpointAnswer) => {
      this.#asked = false
      this.#length = 'log' in answer ? answer.log : 0
      if ('code' in answer && isDiskFailure(answer.code)) this.#onFatal(new Error(answer.message))
    })
    // It could not open the file.
    started.on('error', () => {
      this.#thread = undefined
      this.#asked = false
      this.#commits = 0
      this.#length = TOO_LONG_LOG
    })
    // After the listeners, since each of them would keep the process.
    started.unref()
    return started
  }

  #finish(now: number): void {
    this.#length = 0
    this.#checkedAt = now
    try {
      checkpoint(this.#writer)
    } catch (error) {
      if (error instanceof Error && isDiskFailure(codeOf(error))) this.#onFatal(error)
    }
  }
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
