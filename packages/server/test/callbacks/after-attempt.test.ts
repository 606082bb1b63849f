import { describe, expect, it } from 'vitest'
import { afterAttempt, LEASE_BEYOND_MS, MOST_ATTEMPTS } from '../../src/callbacks/after-attempt.ts'
import type { OutboundFailure, OutboundResult } from '../../src/net/outbound/port.ts'

const NOW = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000

const reply = (status: number, headers: Record<string, string> = {}): OutboundResult => ({
  kind: 'reply',
  status,
  headers,
  body: new Uint8Array(),
  truncated: false,
  latencyMs: 1,
})
const failed = (failure: OutboundFailure): OutboundResult => ({
  kind: 'failure',
  stage: 'before',
  failure,
  detail: '',
  latencyMs: 1,
})
const after = (result: OutboundResult, attempts = 1, random = 0.5) =>
  afterAttempt(result, attempts, { now: NOW, random: () => random })

it('a post has three quarters of a minute beyond its time-out to be stored', () => {
  expect(LEASE_BEYOND_MS).toBe(45_000)
})

describe('what follows an attempt to post a callback', () => {
  it.each([200, 204, 299])('is nothing more after %i', (status) => {
    expect(after(reply(status))).toEqual({ kind: 'delivered' })
  })

  it.each([199, 300, 307, 400, 404, 409, 411, 500, 503])('is another attempt after %i', (status) => {
    expect(after(reply(status)).kind).toBe('again')
  })

  it('is the end after 410 and for a URL that may never be posted to', () => {
    expect(after(reply(410))).toEqual({ kind: 'dead' })
    expect(after(failed('invalid_url'))).toEqual({ kind: 'dead' })
    expect(after(failed('blocked_address'))).toEqual({ kind: 'dead' })
    expect(after(failed('timeout')).kind).toBe('again')
  })

  it('comes after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and ends after ten attempts', () => {
    const plan = Array.from({ length: MOST_ATTEMPTS }, (_, index) => after(reply(500), index + 1))
    const hours = [2, 5, 10, 14, 20, 24].map((each) => each * HOUR)
    const pauses = [5_000, 300_000, 1_800_000, ...hours]
    expect(plan).toEqual([...pauses.map((delayMs) => ({ kind: 'again', delayMs })), { kind: 'dead' }])
  })

  it('comes up to a fifth sooner or later, so that callbacks that failed together do not come together', () => {
    expect(after(reply(500), 1, 0)).toEqual({ kind: 'again', delayMs: 4_000 })
    expect(after(reply(500), 1, 1)).toEqual({ kind: 'again', delayMs: 6_000 })
  })

  it.each([
    ['120', 120_000],
    [' 120 ', 120_000],
    [new Date(NOW + 600_000).toUTCString(), 600_000],
    ['4', 5_000],
    ['0', 5_000],
    ['999999999', 24 * HOUR],
    [new Date(NOW - HOUR).toUTCString(), 5_000],
    ['soon', 5_000],
    ['12x', 5_000],
    ['9999999999', 5_000],
  ])('comes not before the receiver asked for it: Retry-After %j', (header, delayMs) => {
    expect(after(reply(503, { 'retry-after': header }))).toEqual({ kind: 'again', delayMs })
  })
})
