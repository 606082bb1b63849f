import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hurriedClock } from '../../cells/hurried-clock.ts'
import { at, recordOf, SCHEDULED, schedule, submissions } from '../../isolation/scheduling.ts'
import { aPlace, ENGINES, openBench, START } from '../../support/bench.ts'
import { checkBooks } from '../../support/books.ts'
import { eventually } from '../../support/eventually.ts'
import { call, openFront } from '../../support/front.ts'
import { MESSAGE } from '../../support/harness.ts'

const A_MINUTE = 60_000
const PERSISTENT = ['an SQLite file', 'PostgreSQL'] as const

describe.each(ENGINES)('a scheduled message on %s', (engine) => {
  it('is not sent a millisecond before its time, and is at its time', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const { Ticket } = await schedule(bench, at(START + A_MINUTE))
    await bench.advance(A_MINUTE - 1)
    expect(await submissions(bench)).toEqual(new Map())
    expect((await recordOf(bench, Ticket)).Status).toBe('scheduled')
    await bench.advance(1)
    // That it was submitted is written down a moment later.
    await bench.until('it is submitted', async () => (await submissions(bench)).size === 1, 500)
    expect(await submissions(bench)).toEqual(new Map([[Ticket, START + A_MINUTE]]))
  })
})

describe('a scheduled message', () => {
  it('is never early, and not left behind, however the wall clock jumps', async () => {
    const step = fc.record({
      kind: fc.constantFrom('advance', 'advance', 'jump'),
      ms: fc.integer({ min: -90_000, max: 90_000 }),
    })
    const delays = fc.array(fc.integer({ min: 1, max: 120_000 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(delays, fc.array(step, { maxLength: 6 }), async (waits, steps) => {
        const bench = await openBench({ config: { pollMs: 1_000 } })
        const due = new Map<string, number>()
        for (const wait of waits) {
          const { Ticket } = await schedule(bench, at(bench.now() + wait))
          due.set(Ticket, START + wait)
        }
        const noneEarly = async () => {
          for (const [ticket, when] of await submissions(bench)) {
            expect(when).toBeGreaterThanOrEqual(due.get(ticket) ?? Number.POSITIVE_INFINITY)
          }
        }
        for (const { kind, ms } of steps) {
          if (kind === 'jump') bench.jump(ms)
          else await bench.advance(Math.abs(ms))
          await noneEarly()
        }
        bench.jump(Math.max(0, START + 120_000 - bench.now()))
        await bench.advance(10_000)
        await noneEarly()
        expect((await submissions(bench)).size).toBe(waits.length)
        await bench.stop()
      }),
      { numRuns: 8 },
    )
  })

  it('is sent by itself, and not early, while a gateway runs on the time of the machine', async () => {
    const clock = hurriedClock()
    const front = await openFront(await aPlace('an SQLite file'), {}, { clock })
    onTestFinished(() => front.close())
    const account = await front.account('punctual', 10_000_000)
    const read = async (ticket: string) =>
      JSON.parse((await call(front.url, account, { path: `/v1/messages/${ticket}` })).text)
    const due = clock.now() + A_MINUTE
    const body = { ...MESSAGE, SendAt: at(due) }
    const { Ticket } = JSON.parse((await call(front.url, account, { path: SCHEDULED, body })).text)
    // The last moment passes by itself.
    clock.hurry(Math.max(0, due - 50 - clock.now()))
    await eventually('it is delivered', async () => (await read(Ticket)).Status === 'success')
    const { Timeline } = await read(Ticket)
    const submitted = Timeline.find(({ Event }: { Event: string }) => Event === 'submitted')
    expect(Date.parse(submitted.At)).toBeGreaterThanOrEqual(due)
  })
})

describe.each(PERSISTENT)('on %s', (engine) => {
  it('a scheduled message is sent once by a gateway that was down at its time', async () => {
    const database = await aPlace(engine)
    const before = await openBench({ database })
    const { Ticket } = await schedule(before, at(START + A_MINUTE))
    await before.stop()
    const after = await openBench({ database, startAt: START + 60 * A_MINUTE })
    await after.until('it is delivered', async () => (await recordOf(after, Ticket)).Status === 'success')
    expect([...(await submissions(after)).keys()]).toEqual([Ticket])
    await checkBooks(after.database)
    await after.stop()
    const again = await openBench({ database, startAt: START + 120 * A_MINUTE })
    await again.advance(A_MINUTE)
    expect(await recordOf(again, Ticket)).toMatchObject({ Status: 'success', BalanceAfter: 99.958 })
    await checkBooks(again.database)
  })
})
