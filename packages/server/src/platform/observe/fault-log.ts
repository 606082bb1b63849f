import type { Clock } from '../clock.ts'
import { isAll, StoreUnavailable } from '../database/database.ts'
import type { Logger } from '../log.ts'
import type { Parts } from '../parts.ts'

/** While the database is unavailable, each part finds that out every second. */
const AGAIN_MS = 60_000

export interface FaultLogOptions extends Pick<Parts, 'newId'> {
  clock: Pick<Clock, 'now' | 'elapsed'>
  log: Pick<Logger, 'error'>
  countFault(room: string): void
}

/** Counts every unexpected error and logs it; that the database is unavailable, once a minute for each part. */
export function createFaultLog({ clock, log, newId, countFault }: FaultLogOptions): Parts['fault'] {
  const unavailable = new Map<string, { id: string; at: number }>()
  return (room) => (error, more) => {
    countFault(room)
    const at = clock.elapsed()
    const isAway = isAll(error, StoreUnavailable)
    const said = isAway ? unavailable.get(room) : undefined
    if (said && at - said.at < AGAIN_MS) return said.id
    const id = newId(clock.now())
    if (isAway) unavailable.set(room, { id, at })
    log.error({ id, room, ...more, err: error }, 'an unexpected error')
    return id
  }
}
