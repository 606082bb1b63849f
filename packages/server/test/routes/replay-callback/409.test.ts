import { describe, expect, it } from 'vitest'
import { A_MINUTE, onlyOf, replay, sendWithCallback } from '../../isolation/callbacks.ts'
import { aPlace, ENGINES, openBench } from '../../support/bench.ts'
import { expectProblem } from '../refuses.ts'

const MOST_A_DAY = 10
const KEPT = 20
const DAYS = 2

describe.each(ENGINES)('replayCallback on %s: 409', (engine) => {
  it('answers too_many when a callback was posted again ten times on a day, until the next one', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await sendWithCallback(bench)
    await bench.until('it was posted', () => bench.posted.length === 1)
    await bench.advance(0)
    const { Id } = await onlyOf(bench)
    for (let day = 0; day < DAYS; day++) {
      for (let times = 0; times < MOST_A_DAY; times++) {
        await replay(bench, Id)
        await bench.advance(0)
      }
      expect(bench.posted).toHaveLength(1 + (day + 1) * MOST_A_DAY)
      const answer = await bench.call('POST', `/v1/callbacks/${Id}/replay`)
      await expectProblem(answer, 'too_many', { detail: /at most 10 times on a day.* after midnight UTC\.$/ })
      await bench.advance(0)
      expect(bench.posted).toHaveLength(1 + (day + 1) * MOST_A_DAY)
      await bench.advance(24 * 60 * A_MINUTE)
    }
    expect(await onlyOf(bench)).toMatchObject({ State: 'delivered', Attempts: { length: KEPT } })
    const rows = await bench.database.read(({ run }) =>
      run<{ seq: number }>('SELECT seq FROM callback_attempts ORDER BY seq', []),
    )
    const attempts = 1 + DAYS * MOST_A_DAY
    expect(rows.map(({ seq }) => seq)).toEqual(
      Array.from({ length: KEPT }, (_, index) => attempts - KEPT + 1 + index),
    )
  })
})
