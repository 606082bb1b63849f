import type { OwnAccount } from '../../accounts/index.ts'
import type { Connections } from '../../assistants/index.ts'
import type { Callbacks } from '../../callbacks/index.ts'
import type { Changes } from '../../flow/changes.ts'
import type { Clock, LiveTimes } from '../../kernel/process/clock.ts'
import type { Metrics } from '../../kernel/process/metrics.ts'
import type { History } from '../../messages/history/index.ts'
import type { Sending } from '../../messages/sending/index.ts'
import type { RateLimit } from '../../net/callers/rate-limit.ts'
import type { Failures } from '../../net/pages/error.tsx'
import type { AccountAlerts } from '../../operate/alerts/index.ts'
import type { Sandbox } from '../../sandbox/index.ts'
import type { People, PortalPages } from '../../sign-in/portal/index.ts'
import type { Database } from '../../store/database.ts'
import type { WordSearches } from './messages/word-searches.ts'

/** The parts of the gateway that the pages use. */
export interface ConsoleParts extends Failures, PortalPages {
  database: Database
  clock: Clock
  account: Pick<OwnAccount, 'keys' | 'senders' | 'refusals'>
  changes: Changes
  metrics: Pick<Metrics, 'watch'>
  connections: Pick<Connections, 'list' | 'shared' | 'programs' | 'changeLimits' | 'revoke'>
  history: History
  callbacks: Callbacks
  alerts: AccountAlerts
  sending: Sending
  people: People
  /** Whether owners may invite people. */
  invites: boolean
  /** Counts each form that a person sends. */
  limit: RateLimit | undefined
  /** Counts each page that a person reads. */
  reads: RateLimit | undefined
  searches: WordSearches
  /** Replaces when open pages are told of what changes. */
  live: LiveTimes | undefined
  /** Aborted when the process is about to stop. */
  stopping: AbortSignal
  /** Undefined in production. */
  sandbox: Sandbox | undefined
}
