import { appendFileSync } from 'node:fs'
import type { Audit } from './audit.ts'
import { log } from './log.ts'

/** The audit that stands beside a journal, and is on standard error when it can't be kept there. */
export function createAuditFile({ journal }: { journal: string }): Audit {
  return function keep(line) {
    const text = JSON.stringify(line)
    try {
      appendFileSync(`${journal}.audit`, `${text}\n`, { mode: 0o600 })
    } catch {
      log(`audit ${text}`)
    }
  }
}
