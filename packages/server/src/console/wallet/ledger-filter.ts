import { type EpochMs, isTicket, type Ticket } from '../../domain/ids.ts'
import { type DayErrors, readDays, startOf, type TypedDays } from '../widgets/days.ts'

/** What an address asks for. */
export interface TypedLedgerFilter extends TypedDays {
  /** A ticket. */
  q: string
}

export type LedgerErrors = DayErrors & { q?: string; cursor?: string }

/** Which entries are meant. */
export interface LedgerFilter {
  from: EpochMs | undefined
  before: EpochMs | undefined
  ticket: Ticket | undefined
}

export function readLedgerFilter({
  q,
  ...days
}: TypedLedgerFilter): { wanted: LedgerFilter } | { errors: LedgerErrors } {
  const { first, last, errors } = readDays(days)
  const wrong = q !== '' && !isTicket(q)
  if (wrong || Object.keys(errors).length > 0) {
    return { errors: { ...errors, ...(wrong && { q: `Ticket: expected that of a message, got “${q}”.` }) } }
  }
  return {
    wanted: {
      from: first === undefined ? undefined : startOf(first),
      before: last === undefined ? undefined : startOf(last + 1),
      ticket: q === '' ? undefined : (q.toLowerCase() as Ticket),
    },
  }
}

/** The query of an address that asks the same; empty when it asks for everything. */
export function queryOf(filter: TypedLedgerFilter & { cursor?: string }): string {
  const filled = Object.entries(filter).filter(([, value]) => value !== '')
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled)}`
}
