import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Clock } from '../clock.ts'
import type { Problem } from '../domain/errors.ts'
import type { Connections } from '../gateway/connections.ts'
import type { Portal } from '../gateway/sign-in.ts'
import type { FormTickets } from '../pages/form-ticket.ts'

/** The context of a page: Node's own request beside the web one, when there is a socket. */
export type PageContext = Context<{ Bindings: Partial<HttpBindings> }>

export interface ConsoleOptions {
  portal: Portal
  connections: Pick<Connections, 'list' | 'changeLimits' | 'revoke'>
  tickets: FormTickets
  publicUrl(): string
  /** The address that a request comes from. */
  addressOf(c: PageContext): string
  clock: Clock
  /** What a caller is told of an error; undefined when it is a fault of ours. */
  problemOf(error: unknown): Problem | undefined
  /** Told of every error that is ours. */
  onFault(error: unknown): void
}
