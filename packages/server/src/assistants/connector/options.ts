import type { Assistant, AuditLine } from '@wigwag/mcp'
import type { Context } from 'hono'
import type { ConnectorSettings } from '../../config.ts'
import type { Clock } from '../../platform/clock.ts'

/** What the connector needs from the gateway, and what it provides. */

/** A program of the account, identified by its REST API credentials. */
export interface Caller {
  accountId: string
  clientId: string
  clientSecret: string
  walletToken: string
}

/** An assistant that a person has let into an account. */
export type Guest = Assistant & { accountId: string }

/** Runs decisions about one caller's sends one at a time. */
export type Decide = <Value>(
  id: string,
  now: number,
  decide: (entries: readonly string[]) => { append: readonly string[]; value: Value },
) => Promise<Value>

/** Checks assistants' tokens and issues tokens for the REST API. */
export interface Tokens {
  check(token: string, resource: string): Promise<Guest | undefined>
  issue(connection: string, canSend: boolean): Promise<{ accessToken: string; expiresAt: number }>
}

export interface ConnectorOptions {
  settings: ConnectorSettings
  clock: Clock
  publicUrl(): string
  /** Seals questions to people. */
  stateKey: string
  /** Undefined where people can't sign in. */
  tokens: Tokens | undefined
  /** Identifies a caller by REST API credentials; throws a problem if they are not valid. */
  identify(c: Context): Promise<Caller>
  /** Calls the gateway's own HTTP interface, which the tools use like any other client. */
  fetch(request: Request): Response | Promise<Response>
  decide: { client: Decide; connection: Decide }
  audit(accountId: string, line: AuditLine): void
  onFault(error: unknown): void
}

export interface Connector {
  /** Serves the ten tools at `/mcp`. */
  serve(c: Context): Promise<Response>
  /** Serves the metadata that names their authorization server (RFC 9728). */
  describe(c: Context): Promise<Response>
}
