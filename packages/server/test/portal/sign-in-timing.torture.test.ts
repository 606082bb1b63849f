import { describe, expect, it } from 'vitest'
import { NOBODYS_PASSWORD, verifyPasswordHere } from '../../src/sign-in/portal/passwords/password-hash.ts'
import { useStore } from '../support/engine.ts'
import { checkAt, EMAIL, MINUTE, openReception, PASSWORD, type Reception, WRONG } from './reception.ts'

/** A sixteenth of the real cost: what a check takes is most of what an attempt takes. */
const COST = { n: 2 ** 13, r: 8, p: 1 }
const ROUNDS = 40
const WITHOUT = 'without@acme.example'

describe('how long a wrong sign-in takes', () => {
  const store = useStore('SQLite in memory')

  it('does not tell whether an account has the e-mail, or has a password', async () => {
    const at = openReception({ database: store.database, cost: COST })
    await at.account(EMAIL)
    await at.account(WITHOUT, null)
    const asked = {
      wrong: { email: EMAIL, password: WRONG },
      without: { email: WITHOUT, password: PASSWORD },
      unknown: { email: 'nobody@acme.example', password: PASSWORD },
    }
    const times = { wrong: [] as number[], without: [] as number[], unknown: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      // Each kind is the first of its round as often as the others, whatever else the machine does meanwhile.
      for (const kind of rotated(['wrong', 'without', 'unknown'] as const, round))
        times[kind].push(await timeOf(at, asked[kind]))
      at.advance(61 * MINUTE)
    }
    const base = median(times.wrong)
    console.log(
      `median ms: ${JSON.stringify(Object.entries(times).map(([kind, all]) => [kind, median(all)]))}`,
    )
    for (const kind of ['without', 'unknown'] as const) {
      expect(median(times[kind]) / base).toBeGreaterThan(0.67)
      expect(median(times[kind]) / base).toBeLessThan(1.5)
    }
  })

  it('is that of the cost at which passwords are kept', async () => {
    const checked: string[] = []
    const at = openReception({
      database: store.database,
      async check(_password, stored) {
        checked.push(stored)
        return true
      },
    })
    await at.account(EMAIL, null)
    expect(await at.signIn()).toEqual({ kind: 'wrong' })
    expect(await at.signIn({ email: 'nobody@acme.example' })).toEqual({ kind: 'wrong' })
    expect(checked).toEqual([NOBODYS_PASSWORD, NOBODYS_PASSWORD])
    expect(NOBODYS_PASSWORD).toMatch(/^scrypt\$131072\$8\$1\$/)
    expect(verifyPasswordHere(PASSWORD, NOBODYS_PASSWORD)).toBe(false)
  })

  it('is nothing for a password that is too long to be one', async () => {
    let checked = 0
    const at = openReception({
      database: store.database,
      cost: COST,
      check(password, stored) {
        checked++
        return checkAt(COST)(password, stored)
      },
    })
    const longest = '𝒳'.repeat(1_024)
    await at.account(EMAIL, longest)
    expect(await at.signIn({ password: `${longest}𝒳` })).toEqual({ kind: 'wrong' })
    expect(checked).toBe(0)
    expect(await at.signIn({ password: longest })).toMatchObject({ kind: 'in' })
  })
})

async function timeOf(at: Reception, changes: { email: string; password: string }): Promise<number> {
  const began = performance.now()
  const { kind } = await at.signIn(changes)
  if (kind !== 'wrong') throw new Error(`expected to be wrong, got ${kind}`)
  return performance.now() - began
}

function rotated<T>(items: readonly T[], by: number): T[] {
  return items.map((_, index) => items[(index + by) % items.length] as T)
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
