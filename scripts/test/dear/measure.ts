import { readFileSync } from 'node:fs'
import { afterEach, beforeEach } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Milliseconds of processor time, of the worker and of the programs that it started and that have ended. */
    processorMs?: number
  }
}

let atStart = 0

// Registered before the hooks of the file, so these enclose them.
beforeEach(() => {
  atStart = processorMs()
})
afterEach(({ task }) => {
  task.meta.processorMs = processorMs() - atStart
})
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + childrenMs()
}

/** Linux counts the children of a process in hundredths of a second, once they have ended; elsewhere they count as nothing. */
function childrenMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return 0
  }
}
