import type { Clock } from '../clock.ts'
import { isAll, StoreUnavailable } from '../database/database.ts'
import type { Logger } from '../log.ts'
import type { Parts } from '../parts.ts'

/** While the database is unavailable, each part finds that out every second. */
const AGAIN_MS = 60_000

export interface FaultLogOptions extends Pick<Parts, 'newId'> {
  clock: Pick<Clock, 'now' | 'elapsed'>
  log: Pick<Logger, 'error'>
  countFault(part: string): void
}

/** Counts every unexpected error and logs it; that the database is unavailable, once a minute for each part. */
export function createFaultLog({ clock, log, newId, countFault }: FaultLogOptions): Parts['fault'] {
  const unavailable = new Map<string, { id: string; at: number }>()
  return (part) => (error, more) => {
    countFault(part)
    const at = clock.elapsed()
    const isAway = isAll(error, StoreUnavailable)
    const said = isAway ? unavailable.get(part) : undefined
    if (said && at - said.at < AGAIN_MS) return said.id
    const id = newId(clock.now())
    if (isAway) unavailable.set(part, { id, at })
    log.error({ id, part, ...more, err: error }, 'an unexpected error')
    return id
  }
}
