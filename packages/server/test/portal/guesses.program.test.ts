import { describe, expect, it } from 'vitest'
import { useStore } from '../support/engine.ts'
import { kindsOf, signInElsewhere } from './guesses.ts'
import { EMAIL, openReception, WRONG } from './reception.ts'

// Without SQLite in memory, which belongs to one process.
describe.each(['an SQLite file', 'PostgreSQL'] as const)('signing in on %s', (engine) => {
  const store = useStore(engine)

  it('has no more than 10 of 40 guesses looked at that come to two processes at once', async () => {
    await openReception({ database: store.database }).account(EMAIL)
    const guesses = { url: store.url, email: EMAIL, password: WRONG, times: 20 }
    const results = await Promise.all([signInElsewhere(guesses), signInElsewhere(guesses)])
    expect(kindsOf(results.flat())).toEqual({ wrong: 10, locked: 30 })
  })
})
