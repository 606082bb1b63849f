/** The parts of `process` that tell whether npm started it and whether its parent still runs. */
interface Child {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly ppid: number
}

const CHECK_MS = 500

/**
 * Calls once when the parent of a program that npm or npx started is gone. npm signals the shell between them, which
 * ends without the program (https://github.com/npm/cli/issues/5776): ports and database would stay taken.
 */
export function whenNpmIsGone(child: Child, call: () => void): void {
  if (child.env.npm_lifecycle_event === undefined) return
  const parent = child.ppid
  const timer = setInterval(() => {
    if (child.ppid === parent && isAlive(parent)) return
    clearInterval(timer)
    call()
  }, CHECK_MS)
  timer.unref()
}

/** On Windows a process keeps the number of a parent that is gone. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
