import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import type { ProgramAnswer } from '../confirm/index.ts'

/** The record of one call of a tool that writes, for a person to review. */
export interface AuditLine {
  time: string
  connection: string
  tool: string
  /** SHA-256 of the tool and its arguments: equal calls have equal digests, and a digest reveals no text. */
  digest: string
  /** The estimated price, in the wallet's currency; null when unknown. */
  cost: number | null
  ticket: string | null
  /** `refused` by a limit or by validation; `failed` without effect; `uncertain` when its result is not known. */
  outcome: 'done' | 'refused' | 'failed' | 'uncertain'
  /** The program's answer to the question about this call; `none` without a question or an answer. */
  program: ProgramAnswer | 'none'
  /**
   * Whether a person answered. `not known` when the program got the question: it can answer without showing it.
   */
  person: 'not asked' | 'not known'
}

/** The part of a line that says who was asked about the call. */
export type Asked = Pick<AuditLine, 'program' | 'person'>

/** No question was given to the program. */
export const NOT_ASKED: Asked = { program: 'none', person: 'not asked' }

export function askedOf(program: ProgramAnswer | 'none'): Asked {
  return { program, person: 'not known' }
}

/** Stores a line. It must not throw: the send that it records may already have been made. */
export type Audit = (line: AuditLine) => void

export function digestOf(tool: string, values: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([tool, sorted]))
    .digest('hex')
}

export interface AuditFileOptions {
  /** The path of the journal. The audit is the file beside it that ends in `.audit`. */
  journal: string
  /** Receives a line that can't be written to the file. */
  log(text: string): void
}

export function createAuditFile({ journal, log }: AuditFileOptions): Audit {
  return function keep(line) {
    const text = JSON.stringify(line)
    try {
      appendFileSync(`${journal}.audit`, `${text}\n`, { mode: 0o600 })
    } catch {
      log(`audit ${text}`)
    }
  }
}
