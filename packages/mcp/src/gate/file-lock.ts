import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Identifies this process. The random part is needed because process ids are reused. */
const self = `${hostname()} ${process.pid} ${randomUUID()}`

/**
 * Takes a lock that other processes see. Returns the function that releases it, or undefined when it is taken. A lock
 * left by a process of this machine that has ended is removed, so that the next try can succeed.
 */
export function tryLock(path: string): (() => void) | undefined {
  if (claim(path)) return () => rmSync(path, { force: true })
  clearAbandoned(path)
  return undefined
}

/** Atomic: the lock file appears with its owner's name already in it, or not at all. */
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

/** Takes a second lock: without it, one process could remove the lock that another has just taken. */
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
