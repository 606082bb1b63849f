import type { Hono } from 'hono'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { createConnector } from '../connector/connector.ts'
import type { Decide, Tokens } from '../connector/options.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { type AuditEntry, createAudit } from '../gateway/audit.ts'
import { type createAuthenticate, credentialsOf } from '../http/auth.ts'
import { decideExclusively, type JournalOwner } from '../store/connector-journal.ts'
import type { Database } from '../store/database.ts'

export interface AssistantsParts {
  config: Pick<Config, 'connector'>
  database: Database
  clock: Clock
  newId(now: EpochMs): string
  publicUrl(): string
  /** Absent where nobody can sign in. */
  tokens: Tokens | undefined
  authenticate: ReturnType<typeof createAuthenticate>
  /** Who is told of a fault in a room. */
  fault(room: string): (error: unknown) => void
}

const DESCRIPTIONS = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']

/** Serves assistants at `/mcp`: their tools go through the app's own door, and what they did is in the database. */
export function mountAssistants(app: Hono, parts: AssistantsParts): void {
  const { config, database, clock, newId, publicUrl, tokens, authenticate, fault } = parts
  const decideOf =
    (table: JournalOwner['table']): Decide =>
    (id, now, decide) =>
      decideExclusively(database, { table, id }, epochMs(now), decide)

  const audit = createAudit({ clock, newId })
  const connector = createConnector({
    settings: config.connector,
    clock,
    publicUrl,
    tokens,
    async identify(c) {
      const { accountId } = await authenticate(c, { wallet: true })
      return { accountId, ...credentialsOf(c) }
    },
    fetch: app.fetch,
    decide: { client: decideOf('clients'), connection: decideOf('connections') },
    audit(accountId, { tool, connection, ...detail }) {
      const entry: AuditEntry = { actor: connection, action: `mcp ${tool}`, accountId, detail }
      database.write((work) => audit(work, entry), { patient: true }).catch(fault('connector'))
    },
    onFault: fault('connector'),
  })
  app.all('/mcp', connector.serve)
  if (tokens) app.on(['GET', 'HEAD', 'OPTIONS'], DESCRIPTIONS, connector.describe)
}
