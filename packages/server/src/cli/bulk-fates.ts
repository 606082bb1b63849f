import type { Client } from '@wigwag/sdk'

/** A recipient, and where in the file it came from. */
export interface BulkRow {
  line: number
  To: string
  Reference?: string
}

type Report = Awaited<ReturnType<Client['sendToMany']>>
type Outcome = Report['outcomes'][number]

/** What became of a recipient. */
export interface BulkFate {
  line: number
  To: string
  Reference: string
  status: Outcome['status'] | 'unsent'
  Ticket?: string
  why?: string
}

/** What became of every recipient, in the order of the file. */
export function fatesOf(rows: readonly BulkRow[], { outcomes }: Pick<Report, 'outcomes'>): BulkFate[] {
  const byIndex = new Map(outcomes.map((outcome) => [outcome.index, outcome]))
  return rows.map(({ line, To, Reference = '' }, index) => {
    const outcome = byIndex.get(index)
    return { line, To, Reference, ...fateOf(outcome) }
  })
}

function fateOf(outcome: Outcome | undefined): Pick<BulkFate, 'status' | 'Ticket' | 'why'> {
  if (!outcome) return { status: 'unsent', why: 'the run stopped before' }
  const { status } = outcome
  if (status === 'accepted') return { status, Ticket: outcome.result.Ticket }
  if (status === 'skipped') return { status }
  const field = status === 'refused' ? outcome.field?.detail : undefined
  return { status, why: field ?? reasonOf(outcome.error) }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
