import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { atLength, checkFigures } from '../../support/figures.ts'
import { FOR_DATABASES } from '../../support/for-databases.ts'
import { checkHistory } from './check/check-history.ts'
import { countByRule } from './figures.ts'
import { BUGS, plant } from './planted.ts'
import { runHistory } from './run-history.ts'

/** In full two of accept, of endMessages and of the idempotency store. */
const bugs = atLength({ short: BUGS.slice(0, 1), full: [...BUGS] })
const ms = atLength({ short: 1_000, full: 10_000 })

it.each(BUGS)('the program has the place of the bug that $name', async (bug) => {
  const folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-planted-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await plant(bug, folder)
})

describe('a bug that is planted in the gateway', () => {
  let found = 0

  it.each(bugs)('is found when it $name', { timeout: 120_000 }, async (bug) => {
    const folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-planted-'))
    try {
      const main = await plant(bug, folder)
      const size = { ms, gateways: 2, wallets: 1, clients: 12, restMs: 20, patienceMs: 1_000 }
      const { history } = await runHistory({ seed: 1, main, ...size })
      const violations = countByRule(checkHistory(history))
      expect(violations[bug.breaks], bug.breaks).toBeGreaterThan(0)
      found++
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  afterAll(() => {
    checkFigures('planted bugs', { found: [found, { is: bugs.length }] })
  })
})
