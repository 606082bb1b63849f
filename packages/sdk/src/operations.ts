import type { Operations } from './generated/models.ts'
import { places } from './generated/places.ts'
import { misfit } from './shape.ts'

export { places }

/**
 * An operation of the gateway, by its ID in the OpenAPI document.
 * @example
 * import type { OperationId } from '@wigwag/sdk'
 * const operation: OperationId = 'sendSms'
 */
export type OperationId = keyof Operations

/** The documented response of an operation. */
export type Output<Id extends OperationId> = Operations[Id]['output']

/** The documented body of an operation. */
export type Body<Id extends OperationId> = Operations[Id]['body']

/** The input of an operation. */
export interface Input<Id extends OperationId> {
  /** The value for the braces in the path. */
  path?: Operations[Id]['path']
  query?: Operations[Id]['query']
  body?: Body<Id>
}

/**
 * Why a value is not the documented answer of an operation. A bulk's answer needs one result per recipient.
 */
export function whyNoAnswer(
  operation: OperationId,
  { body }: Input<OperationId>,
  value: unknown,
): string | undefined {
  const why = misfit(places[operation][3], value, 'answer')
  if (why || !Array.isArray(value) || !Array.isArray(Object(body).Recipients)) return why
  const { length } = Object(body).Recipients
  return value.length === length
    ? undefined
    : `answer.length is ${value.length}, and ${length} were asked for`
}
