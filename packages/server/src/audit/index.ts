/** The audit log: who did what, and hourly counts of failures. Start reading in `audit.ts`. */
export {
  type Acting,
  type Audit,
  type AuditAction,
  type AuditOptions,
  createAudit,
  createFailureCount,
  createOperatorAudit,
  createRefusalCount,
  emptyDetails,
  type OperatorAuditOptions,
  pruneAudit,
  pruneFailures,
} from './audit.ts'
export { type AuditRow, readAudit, withoutCarriers } from './read.ts'
export { actorOf, actorOfCaller, auditWrites, isAudited, type Write } from './writes.ts'
