import type { Assistant, AuditLine } from '@wigwag/mcp'
import type { Context } from 'hono'
import type { McpSettings } from '../../config.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'

/** A program of the account, identified by its REST API credentials. */
export interface Caller {
  accountId: string
  clientId: string
  clientSecret: string
  walletToken: string
}

/** An assistant that a person has let into an account. */
export type Guest = Assistant & { accountId: string; lastUsedAt: number }

/** Checks assistants' tokens and issues tokens for the REST API. */
export interface Tokens {
  check(token: string, resource: string): Promise<Guest | undefined>
  issue(connection: string, canSend: boolean): Promise<{ accessToken: string; expiresAt: number }>
}

export interface McpOptions {
  settings: McpSettings
  clock: Clock
  publicUrl(): string
  /** Seals questions to people. */
  stateKey: string
  /** Undefined where people can't sign in. */
  tokens: Tokens | undefined
  /** Identifies a caller by REST API credentials; throws a problem if they are not valid. */
  identify(c: Context): Promise<Caller>
  /** Counts a request of a guest. Throws a problem when it is over the limit. */
  count(guest: Guest): void
  /** Notes that an assistant called, whether or not the call is then refused. */
  noteUse(guest: Guest): Promise<void>
  /** Calls the gateway's own HTTP interface, which the tools use like any other client. */
  fetch(request: Request): Response | Promise<Response>
  /** Holds the journals of what callers sent. */
  database: Database
  audit(accountId: string, line: AuditLine): void
  onFault(error: unknown): void
}

export interface McpRoutes {
  /** Serves the ten tools at `/mcp`. */
  serve(c: Context): Promise<Response>
  /** Serves the metadata that names their authorization server (RFC 9728). */
  describe(c: Context): Promise<Response>
}
