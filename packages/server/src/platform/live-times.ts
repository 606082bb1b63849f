import type { Clock } from './clock.ts'

/** When pages that are open are told of what changes. Each is a real time when it is left out. */
export interface LiveTimes {
  /** Changes are passed on at most this often. */
  changesEveryMs?: number
  /** How often sessions that have ended are looked for. */
  checkMs?: number
  /** In which lists are looked at and rests are taken. */
  time?: Pick<Clock, 'elapsed' | 'after'>
}
