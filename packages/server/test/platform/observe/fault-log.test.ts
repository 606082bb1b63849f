import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { FaultLog } from '../../../src/flow/observe/fault-log.ts'
import { epochMs, TicketMaker } from '../../../src/kernel/ids.ts'
import { StoreFull, StoreUnavailable } from '../../../src/store/database.ts'
import { createMovedClock } from '../../../src/testing/clock.ts'

const MINUTE = 60_000

function open() {
  const lines: Record<string, unknown>[] = []
  const log = pino({ base: null }, { write: (text: string) => void lines.push(JSON.parse(text)) })
  const clock = createMovedClock(epochMs(Date.parse('2026-01-05T09:00:00Z')))
  const counted: string[] = []
  const newId = new TicketMaker(randomBytes).make
  const fault = new FaultLog({ clock, newId }, log, (part) => counted.push(part)).of
  const pass = (ms: number) => clock.moveTo(epochMs(clock.now() + ms))
  return { lines, fault, counted, pass }
}

describe('the log of unexpected errors', () => {
  it('has each with its part, its id and what else is known', () => {
    const { lines, fault } = open()
    const ids = [fault('carriers')(new Error('one')), fault('carriers')(new Error('one'), { jobs: ['a'] })]
    expect(lines).toEqual([
      expect.objectContaining({
        id: ids[0],
        part: 'carriers',
        err: expect.objectContaining({ message: 'one' }),
      }),
      expect.objectContaining({ id: ids[1], part: 'carriers', jobs: ['a'] }),
    ])
  })

  it('says once a minute of each part that the database is unavailable, and counts every time', () => {
    const { lines, fault, counted, pass } = open()
    const away = new StoreUnavailable('no connection')
    const first = fault('carriers')(away)
    pass(MINUTE - 1)
    expect(fault('carriers')(new StoreFull('the disk is full'))).toBe(first)
    expect(lines).toHaveLength(1)
    expect(fault('carriers')(new AggregateError([away, new StoreFull('the disk is full')]))).toBe(first)
    fault('worker/await')(away)
    fault('carriers')(new Error('something else'))
    expect(lines).toHaveLength(3)
    pass(1)
    expect(fault('carriers')(away)).not.toBe(first)
    expect(lines).toHaveLength(4)
    expect(counted.filter((part) => part === 'carriers')).toHaveLength(5)
  })
})
