/**
 * Tells the operator of troubles, and customers of what they chose: once each, and when one is over. Start with `tell.ts`,
 * for customers with `customers/account-alerts.ts`.
 */

export { AccountAlerts, ALERT_KINDS, type AlertsView, type Choices } from './customers/account-alerts.ts'
export { type AccountAlert, countAlerts, pruneAccountAlerts, SHOWN_MS } from './customers/rows.ts'
export { alertsSince } from './rows.ts'
export { tellTroubles } from './tell.ts'
