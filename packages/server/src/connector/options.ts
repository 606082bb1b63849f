/** What the connector's package is plugged in with, and what the gateway gets. */
import type { Assistant, AuditLine } from '@wigwag/mcp'
import type { Context } from 'hono'
import type { Clock } from '../clock.ts'
import type { ConnectorSettings } from '../config.ts'

/** A program of the account's own, known by the credentials of the REST API. */
export interface Caller {
  accountId: string
  clientId: string
  clientSecret: string
  walletToken: string
}

/** An assistant that a person has let into an account. */
export type Guest = Assistant & { accountId: string }

/** Decides on the sends of one caller, one decision at a time. */
export type Decide = <Value>(
  id: string,
  now: number,
  decide: (entries: readonly string[]) => { append: readonly string[]; value: Value },
) => Promise<Value>

/** What sign-in knows of tokens. */
export interface Tokens {
  check(token: string, resource: string): Promise<Guest | undefined>
  issue(connection: string, canSend: boolean): Promise<{ accessToken: string; expiresAt: number }>
}

export interface ConnectorOptions {
  settings: ConnectorSettings
  clock: Clock
  publicUrl(): string
  /** Absent where nobody can sign in. */
  tokens: Tokens | undefined
  /** Knows a caller by the credentials of the REST API; throws the problem that turns the caller away. */
  identify(c: Context): Promise<Caller>
  /** The gateway's own door: the tools go through it like any other client. */
  fetch(request: Request): Response | Promise<Response>
  decide: { client: Decide; connection: Decide }
  audit(accountId: string, line: AuditLine): void
  onFault(error: unknown): void
}

export interface Connector {
  /** Serves the ten tools at `/mcp`. */
  serve(c: Context): Promise<Response>
  /** Says who gives out the tokens for them (RFC 9728). */
  describe(c: Context): Promise<Response>
}
