import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Names this process: a process that is gone may have left its number to another. */
const self = `${hostname()} ${process.pid} ${randomUUID()}`

/**
 * Takes a lock that other processes see, and answers with what gives it back; undefined when somebody has it.
 * The lock of a process of this machine that is gone is cleared away, for the next try.
 */
export function tryLock(path: string): (() => void) | undefined {
  if (claim(path)) return () => rmSync(path, { force: true })
  clearAbandoned(path)
  return undefined
}

/** A lock appears whole, with its owner's name in it, or not at all. */
function claim(path: string): boolean {
  const draft = `${path}.${randomUUID()}`
  writeFileSync(draft, self, { flag: 'wx', mode: 0o600 })
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Under a lock of its own, or of two that clear, the second would clear what the first has taken since. */
function clearAbandoned(path: string): void {
  const clearing = `${path}.clearing`
  if (!isAbandoned(path) || !claim(clearing)) return
  try {
    if (isAbandoned(path)) rmSync(path, { force: true })
  } finally {
    rmSync(clearing, { force: true })
  }
}

function isAbandoned(path: string): boolean {
  const owner = ownerOf(path)
  if (owner === undefined || owner === self) return false
  const [host, pid = '', run] = owner.split(' ')
  if (host !== hostname() || !run || !/^[1-9]\d*$/.test(pid)) return false
  return Number(pid) === process.pid || !isRunning(Number(pid))
}

function ownerOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
