import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, it } from 'vitest'
import type { Database } from '../../../src/store/database.ts'
import { open } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { atLength, checkFigures } from '../../support/figures.ts'
import { type Faults, openFaults } from '../faults/faults.ts'
import { makeFolder, openScene, type Scene } from '../scene.ts'

const DAYS_3 = 3 * 86_400_000
const MINUTES_10 = 10 * 60_000
/** Each is where the clock is set, from where the one before has set it. */
const SETTINGS = [DAYS_3, 0, -DAYS_3, 0, MINUTES_10, 0]
const ROUNDS = atLength({ short: 1, full: 4 })
const BETWEEN_MS = atLength({ short: 300, full: 6_000 })
/** On a busy machine. */
const WITHIN_MS = 20_000
/**
 * A job claimed just before a jump is claimed again when that lease has ended, after half a minute. A message
 * whose receipt is missing is asked about a minute after its submission.
 */
const OLD_WITHIN_MS = 120_000
/** The short form waits for such messages at the end only, where leases are ended. */
const WAITS_FOR_OLD = atLength({ short: false, full: true })

let scene: Scene
let faults: Faults

afterEach(async () => {
  await scene.close()
  faults.close()
})

describe('a gateway whose clock is set', () => {
  it('three days ahead and back, and three days back, goes on at once and loses nothing', {
    timeout: ROUNDS * SETTINGS.length * (BETWEEN_MS + WITHIN_MS + OLD_WITHIN_MS) + 900_000,
  }, async () => {
    const folder = await makeFolder()
    faults = await openFaults(folder)
    let ahead = 0
    const database = `file:${join(folder, 'wigwag.db')}`
    scene = await openScene({ folder, database, env: faults.env, ahead: () => ahead })
    const store = open(database)
    let longest = 0
    let longestOfOld = 0
    for (let round = 0; round < ROUNDS; round++) {
      for (const setting of SETTINGS) {
        await pause(BETWEEN_MS)
        ahead = setting
        faults.setAhead(setting)
        const before = await unfinishedNow(store)
        const began = performance.now()
        longest = Math.max(longest, await scene.msUntilFinal(WITHIN_MS))
        if (WAITS_FOR_OLD)
          await eventually('those under way are final', () => areFinal(store, before), OLD_WITHIN_MS)
        longestOfOld = Math.max(longestOfOld, performance.now() - began)
      }
    }
    await store.close()
    const { acknowledged, outcome } = await scene.conclude()
    checkFigures('a clock that jumps', {
      jumps: ROUNDS * SETTINGS.length,
      'ms until a new message is final, at most': [Math.round(longest), { atMost: WITHIN_MS }],
      'ms until those under way are final, at most': [Math.round(longestOfOld), { atMost: OLD_WITHIN_MS }],
      'times the process ended': [scene.supervised.ends.length, { is: 0 }],
      'answers that are neither 200 nor a clear 503': [scene.answers.unclear.length, { is: 0 }],
      'messages acknowledged': acknowledged,
      ...outcome,
    })
  })
})

async function unfinishedNow(database: Database): Promise<string[]> {
  const rows = await database.read(({ run }) =>
    run<{ id: string }>("SELECT id FROM messages WHERE status = 'pending'", []),
  )
  return rows.map(({ id }) => id)
}

async function areFinal(database: Database, ids: readonly string[]): Promise<boolean> {
  const pending = new Set(await unfinishedNow(database))
  return !ids.some((id) => pending.has(id))
}
