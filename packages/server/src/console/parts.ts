import type { OwnAccount } from '../accounts/index.ts'
import type { Connections } from '../assistants/index.ts'
import type { Callbacks } from '../callbacks/index.ts'
import type { History } from '../history/index.ts'
import type { Money } from '../money/index.ts'
import type { Changes } from '../platform/changes.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { RateLimit } from '../platform/http/rate-limit.ts'
import type { LiveTimes } from '../platform/live-times.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Failures } from '../platform/pages/error.ts'
import type { People, PortalPages } from '../portal/index.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { Sending } from '../sending/index.ts'
import type { WordSearches } from './inbox/word-searches.ts'

/** What the pages are made from: every subject that a person sees something of. */
export interface ConsoleParts extends Failures, PortalPages {
  database: Database
  clock: Clock
  account: Pick<OwnAccount, 'keys' | 'senders'>
  changes: Changes
  metrics: Pick<Metrics, 'watch'>
  connections: Pick<Connections, 'list' | 'shared' | 'programs' | 'changeLimits' | 'revoke'>
  history: History
  money: Money
  callbacks: Callbacks
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
  /** What only a sandbox has; undefined in production. */
  sandbox: SandboxParts | undefined
}

export type SandboxParts = Sandbox
