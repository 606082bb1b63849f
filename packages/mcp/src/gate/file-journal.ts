import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolError } from '../refusal.ts'
import { type Entry, entrySchema, journalOfEntries, recentOf } from './entries.ts'
import { tryLock } from './file-lock.ts'
import { dayOf, type Journal } from './journal.ts'

const TRY_EVERY_MS = 25
const TRIES = 200

/** The part of the file that has been read: everything up to `end`, which follows a line break. */
interface Known {
  /** Identifies the file: another process may have replaced it with a shorter one. */
  file: string
  end: number
  entries: Entry[]
}

/** Waits before the next try to take the lock. */
type Pause = (ms: number) => Promise<unknown>

/**
 * A journal in a file, with one line of JSON per entry. Limits survive restarts and apply across all processes that
 * share the file; a lock file beside it makes them take turns. The file must be on a local disk.
 */
export function createFileJournal({ path, pause = sleep }: { path: string; pause?: Pause }): Journal {
  let known: Known | undefined
  let compactedOn: number | undefined

  return journalOfEntries(async (now, step) => {
    const unlock = await lock(path, pause)
    try {
      if (compactedOn !== dayOf(now)) known = attempt(path, 'written', () => compacted(path, now))
      compactedOn = dayOf(now)
      const file = attempt(path, 'opened', () => openSync(path, 'a+', 0o600))
      try {
        known = attempt(path, 'read', () => readOn(file, known))
        const { append, value } = step(known.entries)
        if (append.length > 0) attempt(path, 'written', () => write(file, append))
        return value
      } finally {
        closeSync(file)
      }
    } finally {
      unlock()
    }
  })
}

async function lock(path: string, pause: Pause): Promise<() => void> {
  const place = `${path}.lock`
  attempt(path, 'written', () => mkdirSync(dirname(path), { recursive: true, mode: 0o700 }))
  for (let tries = 0; tries < TRIES; tries++) {
    const unlock = attempt(path, 'locked', () => tryLock(place))
    if (unlock) return unlock
    await pause(TRY_EVERY_MS)
  }
  throw new ToolError({
    outcome: 'Nothing was sent',
    why: 'another process has held the journal of sends for 5 seconds',
    todo: `try again, and if nothing else uses the journal, ask a person to remove ${place}`,
  })
}

/** Reads what any process has added since the last call. The caller holds the lock. */
function readOn(file: number, known: Known | undefined): Known {
  const { ino, birthtimeMs, size } = fstatSync(file)
  const name = `${ino} ${birthtimeMs}`
  const before: Known =
    known?.file === name && known.end <= size ? known : { file: name, end: 0, entries: [] }
  const fresh = Buffer.alloc(size - before.end)
  for (let done = 0; done < fresh.length; ) {
    const count = readSync(file, fresh, done, fresh.length - done, before.end + done)
    if (count === 0) throw new Error('the file ended early')
    done += count
  }
  const whole = fresh.lastIndexOf(10) + 1
  // An incomplete last line: its writer stopped there, so the send that it announces never left.
  if (whole < fresh.length) ftruncateSync(file, before.end + whole)
  const lines = fresh.toString('utf8', 0, whole).split('\n').slice(0, -1)
  const added = lines.map((line, index) => parse(line, before.entries.length + index + 1))
  before.entries.push(...added)
  return { file: name, end: before.end + whole, entries: before.entries }
}

function parse(line: string, number: number): Entry {
  try {
    return entrySchema.parse(JSON.parse(line))
  } catch {
    throw new Error(`entry ${number} was not written by this program`)
  }
}

/** Waits for the disk only when a send is counted: if an `end` is lost in a power cut, its send stays counted. */
function write(file: number, entries: readonly Entry[]): void {
  const bytes = Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
  if (entries.some(({ kind }) => kind === 'attempt')) fsyncSync(file)
}

/** Drops entries that no limit needs any more. The old file stays in place until the new one is complete. */
function compacted(path: string, now: number): Known {
  const old = openSync(path, 'a+', 0o600)
  try {
    const all = readOn(old, undefined)
    const kept = recentOf(all.entries, now)
    if (kept.length === all.entries.length) return keepName(path, all)
    const draft = openSync(`${path}.new`, 'w', 0o600)
    try {
      write(draft, kept)
    } finally {
      closeSync(draft)
    }
    renameSync(`${path}.new`, path)
  } finally {
    closeSync(old)
  }
  const file = openSync(path, 'r')
  try {
    return keepName(path, readOn(file, undefined))
  } finally {
    closeSync(file)
  }
}

/** Flushes the folder too: without that, the name of a new file can be lost in a power cut. */
function keepName(path: string, known: Known): Known {
  if (process.platform === 'win32') return known
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
  return known
}

/** Turns an error of the file into a refusal: nothing is sent that can't be counted. */
function attempt<Value>(path: string, what: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ToolError({
      outcome: 'Nothing was sent',
      why: `the journal of sends, ${path}, where the daily limits are counted, can't be ${what} (${why})`,
      todo: 'ask a person to repair it, or to remove it, which starts counting from zero',
    })
  }
}
