import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Problem } from '../../src/kernel/errors.ts'
import { messageRules } from '../../src/messages/sending/field-rules.ts'
import { Validation } from '../../src/net/server/validate.ts'
import { problemOf } from '../domain/problem-of.ts'

it('refuses what its validator refuses, even where the rule of the field has nothing to say', () => {
  const validation = new Validation(messageRules(() => undefined))
  const validator = z.object({ Reference: z.string().max(1) })
  const problem = problemOf(() => validation.validate(validator, { Reference: 'ab' }))
  expect(problem.errors).toEqual([expect.objectContaining({ pointer: '/Reference', code: 'invalid_value' })])
})

describe('a long list', () => {
  const validator = z.object({
    From: z.string().max(11),
    Recipients: z.array(z.object({ To: z.string().max(20), Reference: z.string().default('none') })),
  })
  const validation = new Validation(messageRules(() => undefined))
  const good = Array.from({ length: 1_000 }, (_, index) => ({ To: `2332412${10_000 + index}` }))
  const withWrong = (wrong: Record<number, unknown>) => Object.assign([...good], wrong)

  it('is returned whole, as its validator types it', async () => {
    const { From, Recipients } = await validation.validateInSlices(validator, { From: 'A', Recipients: good })
    expect([From, Recipients.length]).toEqual(['A', 1_000])
    expect(Recipients).toEqual(good.map(({ To }) => ({ To, Reference: 'none' })))
  })

  it('of which everything is wrong lets other work go on while it is checked', async () => {
    const Recipients = Array.from({ length: 10_000 }, () => ({ To: '0'.repeat(21) }))
    let isChecked = false
    const checking = validation.validateInSlices(validator, { From: 'A', Recipients }).catch(() => undefined)
    void checking.finally(() => {
      isChecked = true
    })
    let turns = 0
    for (; !isChecked; turns++) await new Promise((go) => setImmediate(go))
    await checking
    expect(turns).toBeGreaterThan(1)
  })

  it('says where in the whole each wrong item is, and each wrong field once', async () => {
    const Recipients = withWrong({ 3: { To: '0' }, 700: 'none', 999: { To: '1'.repeat(21) } })
    const checking = validation.validateInSlices(validator, { From: 'A'.repeat(12), Recipients })
    const { errors } = await checking.then(() => new Problem('internal_error', 'none'), problemIn)
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '/From',
      '/Recipients/3/To',
      '/Recipients/700',
      '/Recipients/999/To',
    ])
    expect(errors[2]?.detail).toContain('Recipients[700]')
  })
})

function problemIn(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}
