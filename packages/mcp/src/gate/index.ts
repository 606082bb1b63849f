export { type Audit, type AuditLine, createAuditFile, digestOf } from './audit.ts'
export { createMemoryJournal } from './entries.ts'
export { createFileJournal } from './file-journal.ts'
export { createGate, type Gate, type GateOptions, type Preview, type Sent } from './gate.ts'
export {
  type Attempt,
  type DayUse,
  type EarlierSend,
  type End,
  type Journal,
  KEY_LIFE,
  type Known,
  TWO_MINUTES,
} from './journal.ts'
export type { Limits } from './spending-rules.ts'
