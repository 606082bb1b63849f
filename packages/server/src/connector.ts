/** The plug between the gateway and the connector's package, which is loaded when the first assistant calls. */
import type { AuditLine, Identity, Journal, Limits } from '@wigwag/mcp'
import type { Context } from 'hono'
import type { Clock } from './clock.ts'
import type { ConnectorSettings } from './config.ts'

/** Whoever calls, known by the credentials of the REST API. */
export interface Caller {
  accountId: string
  clientId: string
  clientSecret: string
  walletToken: string
}

export interface ConnectorOptions {
  settings: ConnectorSettings
  clock: Clock
  /** Throws the problem that turns the caller away. */
  identify(c: Context): Promise<Caller>
  /** The gateway's own door: the tools go through it like any other client. */
  fetch(request: Request): Response | Promise<Response>
  /** Decides on a connection's sends, one decision at a time. */
  decide<Value>(
    clientId: string,
    now: number,
    decide: (entries: readonly string[]) => { append: readonly string[]; value: Value },
  ): Promise<Value>
  audit(caller: Caller, line: AuditLine): void
  onFault(error: unknown): void
}

/** Serves the ten tools at `/mcp` to whoever shows the credentials of the REST API, within limits. */
export function createConnector(options: ConnectorOptions): (c: Context) => Promise<Response> {
  let loaded: Promise<(c: Context) => Promise<Response>> | undefined
  return async function serve(c) {
    loaded ??= load(options)
    return (await loaded)(c)
  }
}

async function load(options: ConnectorOptions): Promise<(c: Context) => Promise<Response>> {
  const { settings, clock, identify, fetch, decide, audit, onFault } = options
  const { createGate, createHttpHandler, entrySchema, parseAmount } = await import('@wigwag/mcp')
  const { createClient } = await import('@wigwag/sdk')
  const { hosts, recipients, dailyMessages, dailySpend } = settings
  const limits: Limits = {
    dailySpend: dailySpend === undefined ? undefined : parseAmount(String(dailySpend / 1_000_000)),
    dailyMessages,
    recipients,
  }

  function journalOf(clientId: string): Journal {
    return {
      exclusively: (now, step) =>
        decide(clientId, now, (lines) => {
          const { append, value } = step(lines.map((line) => entrySchema.parse(JSON.parse(line))))
          return { append: append.map((entry) => JSON.stringify(entry)), value }
        }),
    }
  }

  function identityOf(caller: Caller): Identity {
    const { clientId, clientSecret, walletToken } = caller
    const connection = `client:${clientId}`
    return {
      connection,
      client: createClient({
        baseUrl: 'http://gateway.invalid',
        ...{ clientId, clientSecret, walletToken, fetch },
      }),
      gate: createGate({
        connection,
        limits,
        journal: journalOf(clientId),
        audit: (line) => audit(caller, line),
        now: clock.now,
      }),
      canSend: limits.dailySpend !== undefined,
    }
  }

  return (c) =>
    createHttpHandler({
      allowedHosts: hosts,
      onFault,
      identify: async () => identityOf(await identify(c)),
    })(c.req.raw)
}
