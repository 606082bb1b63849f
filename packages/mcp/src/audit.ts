import { createHash } from 'node:crypto'

/** What is left of every call of a write tool, for a person to look through. */
export interface AuditLine {
  time: string
  connection: string
  tool: string
  /** SHA-256 of the tool and its arguments: shows that two calls were the same, and not what they said. */
  digest: string
  /** The estimated price, in the wallet's currency; null when the gateway did not say. */
  cost: number | null
  ticket: string | null
  /** `refused` by a limit or as not fitting, `failed` without effect, `uncertain` when only the gateway knows. */
  outcome: 'done' | 'refused' | 'failed' | 'uncertain'
}

/** Keeps a line. It must not throw: the send that it tells of has been made. */
export type Audit = (line: AuditLine) => void

export function digestOf(tool: string, values: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([tool, sorted]))
    .digest('hex')
}
