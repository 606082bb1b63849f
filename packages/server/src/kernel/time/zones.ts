import { type EpochMs, epochMs } from '../ids.ts'
import { DAY_MS } from './spans.ts'

/** A time of day in a place, as people there say it, or why there is no such time. */
export type LocalTime = { at: EpochMs } | { problem: string }

const LOCAL = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/

/** The names of time zones to choose from, UTC first. */
export function zoneNames(): readonly string[] {
  names ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]
  return names
}
let names: readonly string[] | undefined

/** Whether a text names a time zone, by a name of today or of before. An offset, which no clock change moves, is none. */
export function isZone(text: string): boolean {
  return /^[A-Z][\w+/-]{1,63}$/i.test(text) && clockIn(text) !== undefined
}

/**
 * Reads `2026-12-01T09:00` by the clocks of a time zone. A clock that is put forward leaves out an hour, and one that is
 * put back shows an hour twice: neither is guessed.
 */
export function readLocal(text: string, zone: string): LocalTime {
  if (!isZone(zone)) return { problem: 'Expected a time zone by its name, such as Africa/Accra.' }
  const [, ...parts] = LOCAL.exec(text) ?? []
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map((part = '0') =>
    Number(part),
  )
  const wall = Date.UTC(year, month - 1, day, hour, minute, second, Number((parts[6] ?? '').padEnd(3, '0')))
  // Some days that don't exist, such as 30 February, would be read as others.
  if (parts.length === 0 || !written(wall).startsWith(`${text.slice(0, 10)} ${text.slice(11, 16)}`))
    return {
      problem: `Expected a day and a time such as 2026-12-01 09:00; got ${JSON.stringify(text.slice(0, 40))}.`,
    }
  const offsets = new Set([wall - DAY_MS, wall + DAY_MS].map((near) => offsetAt(near, zone)))
  const found = [...offsets].map((offset) => wall - offset).filter((at) => at + offsetAt(at, zone) === wall)
  const [at, again] = found.sort((a, b) => a - b)
  if (at === undefined) {
    const problem = `In ${zone} the clocks are put forward then: there is no ${text.slice(11, 16)} on ${text.slice(0, 10)}. Choose a time before or after.`
    return { problem }
  }
  if (again !== undefined) {
    const [first, second] = [at, again].map((one) => written(one).slice(0, 16))
    const problem = `In ${zone} the clocks are put back then: this time comes twice, at ${first} UTC and at ${second} UTC. Choose UTC as the time zone and one of these.`
    return { problem }
  }
  return { at: epochMs(at) }
}

/** A time as the clocks of a zone show it: `2026-12-01 09:00`. */
export function localTime(at: number, zone: string): string {
  return written(at + offsetAt(at, zone)).slice(0, 16)
}

/** A time with its zone, and in UTC where that differs: `2026-12-01 09:00 Africa/Accra, 2026-12-01 09:00 UTC`. */
export function inZoneAndUtc(at: number, zone: string): string {
  const utc = `${localTime(at, 'UTC')} UTC`
  return zone === 'UTC' ? utc : `${localTime(at, zone)} ${zone}, which is ${utc}`
}

function written(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString().replace('T', ' ') : ''
}

/** How far the clocks of a zone are ahead of UTC. */
function offsetAt(at: number, zone: string): number {
  const parts = clockIn(zone)?.formatToParts(at) ?? []
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value)
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return shown - Math.floor(at / 1_000) * 1_000
}

/** Making one takes long, so each is made once. Names that are none are not kept: there is no end of them. */
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockIn(zone: string): Intl.DateTimeFormat | undefined {
  const known = clocks.get(zone)
  if (known) return known
  try {
    const clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    // However a name is written in capitals, it is one zone; without a bound, its spellings would fill memory.
    if (clocks.size < 1_000) clocks.set(zone, clock)
    return clock
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
