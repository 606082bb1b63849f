/**
 * The specification as checks, for any server (`conform`), and a connector used as an assistant would use it
 * (`checkConnector`). `plan` has the checks, and `connector-check/` what visits a connector.
 */
export type { Credentials } from './caller.ts'
export type { Check, Outcome } from './check.ts'
export { type CallbackPlace, type ConformSettings, conform, type Report } from './conform.ts'
export { type Checked, type ConnectorSettings, checkConnector } from './connector-check/check.ts'
export type { Finding } from './connector-check/finding.ts'
export { CHECKS as CONNECTOR_CHECKS } from './connector-check/progress.ts'
export { junit } from './junit.ts'
export { type Part, plan } from './plan.ts'
export { CannotTry } from './reach.ts'
export { failureOf, rowOf, summary } from './report.ts'
