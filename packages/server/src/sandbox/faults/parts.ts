import type { Principal } from '../../platform/http/principal.ts'
import type { FaultSettings } from './settings.ts'

/** What the places where faults act need of them. */
export interface FaultParts {
  settings(): FaultSettings
  /** Waits on the sandbox's clock. Resolves early when the faults change. */
  pause(ms: number): Promise<void>
  random(): number
  elapsed(): number
  /** Marks in the log what a fault did. */
  log(fault: string, detail: Record<string, unknown>): void
}

/** The limit on a caller's requests: headers for the response, or a thrown problem. */
export type Limit = (principal: Principal) => Record<string, string>
