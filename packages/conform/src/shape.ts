import {
  zBalance,
  zBulkSmsMessage,
  zCallbackPayload,
  zSendResult,
  zSmsMessage,
  zTransaction,
} from '@wigwag/contract/validators'
import * as z from 'zod'
import { excerpt } from './connector-check/excerpt.ts'

export interface Field {
  name: string
  type: string
  format: string | undefined
}

export type Shape = readonly Field[]
export type Found = Readonly<Record<string, unknown>>

const described = z.object({
  properties: z.record(z.string(), z.object({ type: z.string(), format: z.string().optional() })),
  required: z.array(z.string()),
})

/**
 * The names, types and formats of the document. Its patterns and limits are ours, so they are left out; what the
 * specification says of dates is in `isInstant`.
 */
function fieldsOf(schema: z.ZodType): Shape {
  const { properties } = described.parse(z.toJSONSchema(schema))
  return Object.entries(properties).map(([name, { type, format }]) => ({ name, type, format }))
}

export const shapes = {
  result: fieldsOf(zSendResult),
  record: fieldsOf(zTransaction),
  balance: fieldsOf(zBalance),
  callback: fieldsOf(zCallbackPayload),
}

/** The required fields of a request. */
export const required = {
  single: described.parse(z.toJSONSchema(zSmsMessage)).required,
  bulk: described.parse(z.toJSONSchema(zBulkSmsMessage)).required,
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && UUID.test(value)
}

/** Whether it is a time in UTC with a trailing Z, and with milliseconds, or any fraction of a second. */
export function isInstant(value: unknown, fraction: 'milliseconds' | 'any'): boolean {
  if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) return false
  const digits = fraction === 'milliseconds' ? '{3}' : '+'
  return new RegExp(`^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d${digits}Z$`).test(value)
}

/** The fields that are not there, with the nearest name that is. */
export function missing(found: Found, shape: Shape): string[] {
  return shape
    .filter(({ name }) => !Object.hasOwn(found, name))
    .map(({ name }) => {
      const other = Object.keys(found).find((key) => key.toLowerCase() === name.toLowerCase())
      return other === undefined ? `no ${name}` : `${excerpt(other)} instead of ${name}`
    })
}

/** The present fields whose value has another type. */
export function wrongTypes(found: Found, shape: Shape): string[] {
  return shape
    .filter(({ name, type }) => Object.hasOwn(found, name) && typeof found[name] !== type)
    .map(({ name, type }) => `${name} is ${shown(found[name])}, which is no ${type}`)
}

/** Text that is no UUID, in the fields that should have one. */
export function wrongUuids(found: Found, shape: Shape): string[] {
  return shape
    .filter(
      ({ name, format }) => format === 'uuid' && typeof found[name] === 'string' && !isUuid(found[name]),
    )
    .map(({ name }) => `${name} is ${shown(found[name])}`)
}

/** The fields that the specification does not name. */
export function others(found: Found, shape: Shape): string[] {
  return Object.keys(found)
    .filter((key) => !shape.some(({ name }) => name === key))
    .map((key) => excerpt(key))
}

/** A value of a stranger's server, safe to print and short. */
export function shown(value: unknown): string {
  return value === undefined ? 'not there' : excerpt(JSON.stringify(value))
}
