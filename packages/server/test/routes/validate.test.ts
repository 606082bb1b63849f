import { expect, it } from 'vitest'
import * as z from 'zod'
import { messageRules } from '../../src/messages/sending/field-rules.ts'
import { validate as checkInput, type Validate } from '../../src/net/server/validate.ts'
import { problemOf } from '../domain/problem-of.ts'

it('refuses what its validator refuses, even where the rule of the field has nothing to say', () => {
  const rules = messageRules(() => undefined)
  const validate: Validate = (validator, input) => checkInput(rules, validator, input)
  const validator = z.object({ Reference: z.string().max(1) })
  const problem = problemOf(() => validate(validator, { Reference: 'ab' }))
  expect(problem.errors).toEqual([expect.objectContaining({ pointer: '/Reference', code: 'invalid_value' })])
})
