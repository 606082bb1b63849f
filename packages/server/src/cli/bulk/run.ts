import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import type { BulkSmsMessage, Client, ManyOptions } from '@wigwag/sdk'
import { csvLine } from '../../kernel/text/csv.ts'
import { commandProcess } from '../command-process.ts'
import { Failed, say, startProgress } from '../terminal.ts'
import type { BulkList, BulkRow } from './list.ts'

export type BulkMessage = Omit<BulkSmsMessage, 'Recipients'>

const STOPPING = ['SIGINT', 'SIGTERM'] as const

/** The result of a run. */
export interface Run extends Pick<Report, 'accepted' | 'refused' | 'uncertain' | 'skipped' | 'outcomes'> {
  /** A person or the system asked it to stop. */
  stopped: boolean
  /** The error that ended it early; undefined when it reached the end of the list. */
  error: unknown
}

/** Sent to no one, because the run was to stop. */
class Stopped extends Error {
  override readonly name = 'Stopped'
}

/**
 * Sends to a list, with a progress bar. The first Ctrl-C lets the requests that are under way end, so that it is known who
 * got the message; the second one ends those too.
 */
export async function runBulk(
  client: Client,
  message: BulkMessage,
  rows: readonly BulkRow[],
  options: Pick<ManyOptions, 'idempotencyKey' | 'dedupe' | 'partSize'>,
): Promise<Run> {
  const progress = startProgress(rows.length)
  const stop = new AbortController()
  const cut = new AbortController()
  const interrupt = () => {
    if (stop.signal.aborted) return cut.abort()
    stop.abort(new Stopped())
    progress.stop()
    say('Stopping; what is under way is waited for. Ctrl-C again stops that too.')
  }
  const running = commandProcess()
  for (const signal of STOPPING) running.on(signal, interrupt)
  try {
    const report = await client.sendToMany(message, rows, {
      ...options,
      stop: stop.signal,
      signal: cut.signal,
      onProgress({ accepted, refused, uncertain, skipped }) {
        progress.update(accepted + refused + uncertain + skipped)
      },
    })
    return { ...report, stopped: stop.signal.aborted }
  } catch (error) {
    if (!stop.signal.aborted) throw error
    // Nothing has a result yet.
    return { accepted: 0, refused: 0, uncertain: 0, skipped: 0, outcomes: [], stopped: true, error }
  } finally {
    progress.stop()
    for (const signal of STOPPING) running.off(signal, interrupt)
  }
}

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
