/** The audit log: who did what, and hourly counts of failures. Start reading in `audit.ts`. */
export {
  type AccountAction,
  type AccountFailure,
  type Acting,
  type Audit,
  type AuditOptions,
  actorOf,
  actorOfCaller,
  auditWrites,
  createAudit,
  createFailureCount,
  createOperatorAudit,
  createRefusalCount,
  emptyDetails,
  isAudited,
  type OperatorAuditOptions,
  pruneAudit,
  pruneFailures,
  type Write,
  type WriteOperation,
} from './audit.ts'
export { type AuditRow, readAudit, withoutCarriers } from './read.ts'
