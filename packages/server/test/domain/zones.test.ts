import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inZoneAndUtc, isZone, localTime, readLocal, zoneNames } from '../../src/kernel/time/zones.ts'

const at = (text: string, zone: string) => {
  const read = readLocal(text, zone)
  return 'at' in read ? new Date(read.at).toISOString() : read.problem
}

describe('a time by the clocks of a place', () => {
  it.each([
    ['2026-12-01T09:00', 'Africa/Accra', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01 09:00', 'Africa/Lagos', '2026-12-01T08:00:00.000Z'],
    ['2026-12-01T09:00', 'Asia/Kathmandu', '2026-12-01T03:15:00.000Z'],
    ['2026-07-01T09:00:30.5', 'Europe/Berlin', '2026-07-01T07:00:30.500Z'],
    ['2026-12-01T00:30', 'Pacific/Kiritimati', '2026-11-30T10:30:00.000Z'],
    ['2026-12-01T23:30', 'America/Los_Angeles', '2026-12-02T07:30:00.000Z'],
    ['2026-12-01T09:00', 'UTC', '2026-12-01T09:00:00.000Z'],
  ])('%s in %s is %s', (text, zone, utc) => {
    expect(at(text, zone)).toBe(utc)
  })

  it('is refused where the clocks are put forward over it', () => {
    expect(at('2027-03-28T02:30', 'Europe/Berlin')).toBe(
      'In Europe/Berlin the clocks are put forward then: there is no 02:30 on 2027-03-28. Choose a time before or after.',
    )
    expect(at('2027-03-28T01:59', 'Europe/Berlin')).toBe('2027-03-28T00:59:00.000Z')
    expect(at('2027-03-28T03:00', 'Europe/Berlin')).toBe('2027-03-28T01:00:00.000Z')
  })

  it('is refused where the clocks are put back and show it twice, with both times', () => {
    expect(at('2026-10-25T02:30', 'Europe/Berlin')).toContain(
      'this time comes twice, at 2026-10-25 00:30 UTC and at 2026-10-25 01:30 UTC.',
    )
    expect(at('2026-10-25T03:00', 'Europe/Berlin')).toBe('2026-10-25T02:00:00.000Z')
    // By half an hour only.
    expect(at('2027-04-04T01:45', 'Australia/Lord_Howe')).toContain('comes twice')
  })

  it.each(['2026-02-30T09:00', '2026-12-01T24:00', '2026-12-01', 'tomorrow', '', '2026-12-01T09:00Z'])(
    'is refused as %s',
    (text) => {
      expect(at(text, 'Africa/Accra')).toMatch(/^Expected a day and a time/)
    },
  )

  it.each(['', 'Mars/Olympus', '+01:00', '\0', 'UTC\0', 'a'.repeat(1_000_000)])(
    'is refused in the zone %#',
    (zone) => {
      expect(isZone(zone)).toBe(false)
      expect(at('2026-12-01T09:00', zone)).toMatch(/^Expected a time zone/)
    },
  )

  it('is what the clocks show at it, wherever there is one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zoneNames()),
        fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2030, 0) }),
        (zone, ms) => {
          const minute = ms - (ms % 60_000)
          const read = readLocal(localTime(minute, zone), zone)
          if ('at' in read) expect(read.at).toBe(minute)
          else expect(read.problem).toContain('twice')
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is said by the clocks there and in UTC', () => {
    const ms = Date.UTC(2026, 11, 1, 8)
    expect(inZoneAndUtc(ms, 'Africa/Lagos')).toBe(
      '2026-12-01 09:00 Africa/Lagos, which is 2026-12-01 08:00 UTC',
    )
    expect(inZoneAndUtc(ms, 'UTC')).toBe('2026-12-01 08:00 UTC')
  })
})
