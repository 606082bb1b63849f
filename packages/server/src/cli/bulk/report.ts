import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import type { Client } from '@wigwag/sdk'
import { csvLine } from '../../domain/csv.ts'
import { Failed } from '../terminal.ts'
import type { BulkList } from './list.ts'

export type Report = Awaited<ReturnType<Client['sendToMany']>>
type Outcome = Report['outcomes'][number]

/** The result for one recipient. */
export interface BulkFate {
  line: number
  To: string
  Reference: string
  status: Outcome['status'] | 'unsent'
  Ticket?: string
  why?: string
}

/** The result for every recipient, in the order of the file. */
export function fatesOf({ rows, repeats }: BulkList, outcomes: Report['outcomes']): BulkFate[] {
  const byIndex = new Map(outcomes.map((outcome) => [outcome.index, outcome]))
  const firsts = new Map(repeats.map(({ line, first }) => [line, first]))
  return rows.map(({ line, To, Reference = '' }, index) => {
    const first = firsts.get(line)
    return { line, To, Reference, ...fateOf(byIndex.get(index), first) }
  })
}

function fateOf(
  outcome: Outcome | undefined,
  first: number | undefined,
): Pick<BulkFate, 'status' | 'Ticket' | 'why'> {
  if (!outcome) return { status: 'unsent', why: 'the run stopped before' }
  const { status } = outcome
  if (status === 'accepted') return { status, Ticket: outcome.result.Ticket }
  if (status === 'skipped') return { status, why: `line ${first} has the same number` }
  const field = status === 'refused' ? outcome.field?.detail : undefined
  return { status, why: field ?? reasonOf(outcome.error) }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const HEAD = csvLine(['Line', 'To', 'Reference', 'Status', 'Ticket', 'Why'])

/** A file for the result of every row, opened before anything is sent. A file that is something else is not touched. */
export function openOut(file: string): (fates: readonly BulkFate[]) => void {
  try {
    closeSync(openSync(file, 'a'))
    const before = readFileSync(file, 'utf8')
    if (before !== '' && !before.startsWith(HEAD)) {
      throw new Failed(
        `--out: expected a new file or the result of an earlier run, but ${file} is another file`,
        2,
      )
    }
  } catch (error) {
    if (error instanceof Failed) throw error
    throw new Failed(`--out: ${reasonOf(error)}`, 2)
  }
  return (fates) => {
    const lines = fates.map(({ line, To, Reference, status, Ticket, why }) =>
      csvLine([line, To, Reference, status, Ticket, why]),
    )
    writeFileSync(file, HEAD + lines.join(''))
  }
}
