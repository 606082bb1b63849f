import { expect, it } from 'vitest'
import * as z from 'zod'
import { createValidate } from '../../src/platform/http/validate.ts'
import { createFieldRules } from '../../src/sending/field-rules.ts'
import { problemOf } from '../domain/problem-of.ts'

it('refuses what its validator refuses, even where the rule of the field has nothing to say', () => {
  const validate = createValidate(createFieldRules(() => undefined))
  const validator = z.object({ Reference: z.string().max(1) })
  const problem = problemOf(() => validate(validator, { Reference: 'ab' }))
  expect(problem.errors).toEqual([expect.objectContaining({ pointer: '/Reference', code: 'invalid_value' })])
})
