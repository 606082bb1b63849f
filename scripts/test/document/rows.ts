import { operations } from '@wigwag/contract/operations'

/** A generated validator, as far as the tests use it. */
export interface Validator {
  safeParse(value: unknown): { error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined }
}

/** One row of the server's generated table, seen without its particulars. */
export interface Row {
  method: string
  path: string
  wallet: boolean
  pathParameters?: Validator
  query?: Validator
  integers?: readonly string[]
  body?: Validator
  idempotent?: true
}

export const rows: Record<string, Row> = operations
