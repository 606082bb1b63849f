import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'
/** Short, so that who has used up a share waits for milliseconds, as for a slower processor. */
const PERIOD_US = 10_000

/** A group of processes that get at most a share of one processor, together. */
export interface Quota {
  add(pids: readonly number[]): void
  /** When its processes have ended. */
  remove(): void
}

let made = 0

/** Makes a group by Linux's control groups, of either version. Needs root. */
export function startQuota(share: number): Quota {
  const quota = Math.round(share * PERIOD_US)
  const name = `wigwag-bench-${process.pid}-${made++}`
  const isFirst = existsSync(join(ROOT, 'cpu', 'cpu.cfs_quota_us'))
  const group = isFirst ? join(ROOT, 'cpu', name) : join(ROOT, name)
  try {
    mkdirSync(group)
    if (isFirst) {
      writeFileSync(join(group, 'cpu.cfs_period_us'), `${PERIOD_US}`)
      writeFileSync(join(group, 'cpu.cfs_quota_us'), `${quota}`)
    } else writeFileSync(join(group, 'cpu.max'), `${quota} ${PERIOD_US}`)
  } catch (cause) {
    throw new Error(`no group of processes can be bounded at ${group}: this needs root and control groups`, {
      cause,
    })
  }
  return {
    add(pids) {
      for (const pid of pids) writeFileSync(join(group, 'cgroup.procs'), `${pid}`)
    },
    remove: () => rmdirSync(group),
  }
}

/** Keeps processes, and those that they start from now on, to some of the processors. */
export function pin(pids: readonly number[], processors: readonly number[]): void {
  for (const pid of pids)
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', processors.join(), `${pid}`])
}
