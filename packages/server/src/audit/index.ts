/** The audit log: who did what, and hourly counts of failures. Start reading in `audit.ts`. */
export { type AssistantWrite, auditWrites } from './assistant-audit.ts'
export { type AuditAction, type AuditEntry, createAudit, createFailureCount, pruneFailures } from './audit.ts'
