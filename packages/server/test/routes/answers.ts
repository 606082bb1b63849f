import * as validators from '@wigwag/contract/validators'
import { expect } from 'vitest'
import type * as z from 'zod'

export type SendResult = z.infer<typeof validators.zSendResult>
export type Transaction = z.infer<typeof validators.zTransaction>
export type Balance = z.infer<typeof validators.zBalance>

/** ISO 8601 in UTC with milliseconds and a trailing Z, and nothing else. */
export const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The body of a success, which holds the documented fields and no other. */
async function body<T>(response: Response, validator: z.ZodType<T>): Promise<T> {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(response.headers.get('x-request-id')).toMatch(UUID)
  return validator.parse(await response.json())
}

export const resultOf = async (response: Response | Promise<Response>) =>
  body<SendResult>(await response, validators.zSendResult.strict())
export const resultsOf = async (response: Response | Promise<Response>) =>
  body<SendResult[]>(await response, validators.zSendResult.strict().array())
export const transactionOf = async (response: Response | Promise<Response>) =>
  body<Transaction>(await response, validators.zTransaction.strict())
export const balanceOf = async (response: Response | Promise<Response>) =>
  body<Balance>(await response, validators.zBalance.strict())
