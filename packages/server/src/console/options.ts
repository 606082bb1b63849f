import type { Clock } from '../clock.ts'
import type { Connections } from '../gateway/connections.ts'
import type { Portal } from '../gateway/sign-in.ts'
import type { Failures } from '../pages/failure.ts'
import type { FormTickets } from '../pages/form-ticket.ts'
import type { PageContext } from '../pages/page-context.ts'

export interface ConsoleOptions extends Failures {
  portal: Portal
  connections: Pick<Connections, 'list' | 'changeLimits' | 'revoke'>
  tickets: FormTickets
  publicUrl(): string
  /** The address that a request comes from. */
  addressOf(c: PageContext): string
  clock: Clock
}
