import { appendFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { AuthenticationError, createClient, GatewayError, WigwagError } from '@wigwag/sdk'
import packageJson from '../package.json' with { type: 'json' }
import type { AuditLine } from './audit.ts'
import { systemNow } from './clock.ts'
import { configSnippet, type Environment } from './config-snippet.ts'
import { createFileJournal } from './file-journal.ts'
import { createGate } from './gate.ts'
import type { Identity } from './identity.ts'
import type { OnFault } from './protocol.ts'
import { serveHttp } from './serve-http.ts'
import { readSettings, type Settings, UsageError } from './settings.ts'
import { serveStdio } from './stdio.ts'

const HELP = `Usage: wigwag-mcp [options]
       wigwag-mcp config --client claude-code|claude-desktop|cursor|vscode

Gives an AI assistant ten tools over a Wigwag gateway, over standard input and output.
The gateway and its credentials are WIGWAG_BASE_URL, WIGWAG_CLIENT_ID, WIGWAG_CLIENT_SECRET
and WIGWAG_WALLET_TOKEN in the environment.

  --read-only             only the tools that read
  --daily-spend <amount>  at most this much a day, in UTC       WIGWAG_MCP_DAILY_SPEND
  --daily-messages <n>    at most this many messages a day      WIGWAG_MCP_DAILY_MESSAGES
  --recipients <list>     only to these, such as 233241234567,23320*  WIGWAG_MCP_RECIPIENTS
  --state <file>          where sends are counted               WIGWAG_MCP_STATE
  --http --unprotected    serve /mcp on this machine instead, without sign-in
  --host, --port          where; 127.0.0.1 and 8081 unless given

Exit code: 0 done, 1 failed, 2 wrong usage.
`
/** How long a stop waits for calls under way. What is still open then is counted as if it was sent. */
const STOP_MS = 5_000

/** Runs one command line, and says how to exit: 0 done, 1 failed, 2 usage. */
export async function run(args: readonly string[], env: Environment): Promise<number> {
  // A host that does not read what is said here must not end a send half-way.
  process.stderr.on('error', () => {})
  try {
    if (args.includes('--help') || args.includes('-h')) process.stdout.write(HELP)
    else if (args.includes('--version')) process.stdout.write(`${packageJson.version}\n`)
    else if (args[0] === 'config') process.stdout.write(`${snippet(args.slice(1), env)}\n`)
    else await serve(readSettings(args, env))
    return 0
  } catch (error) {
    log(error instanceof Error ? error.message : String(error))
    if (error instanceof UsageError) log('wigwag-mcp --help shows what there is')
    return error instanceof UsageError ? 2 : 1
  }
}

function snippet(args: readonly string[], env: Environment): string {
  try {
    const { values } = parseArgs({ args: [...args], options: { client: { type: 'string' } } })
    return configSnippet(values.client ?? '', env)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function serve(settings: Settings): Promise<void> {
  const identity = identityOf(settings)
  await checkCredentials(identity, settings)
  if (settings.http) {
    const server = await serveHttp({ identity, ...settings.http, onFault, log })
    await stopSignal()
    await inTime(server.stop())
    return
  }
  const served = serveStdio({ identity, input: process.stdin, output: process.stdout, onFault })
  const stopped = stopSignal().then(() => {
    process.stdin.destroy()
    return inTime(served)
  })
  await Promise.race([served, stopped])
}

function identityOf({
  baseUrl,
  clientId,
  clientSecret,
  walletToken,
  readOnly,
  limits,
  state,
}: Settings): Identity {
  const connection = `client:${clientId}`
  const audit = (line: AuditLine) => keepLine(`${state}.audit`, line)
  return {
    connection,
    client: createClient({ baseUrl, clientId, clientSecret, walletToken }),
    gate: createGate({
      connection,
      limits,
      journal: createFileJournal({ path: state }),
      audit,
      now: systemNow,
    }),
    canSend: !readOnly,
  }
}

/** A wrong secret is told now, to a person, and not with the first call, to a model. */
async function checkCredentials({ client }: Identity, { baseUrl }: Settings): Promise<void> {
  try {
    await client.getBalance({ retries: 0, timeout: 10_000 })
  } catch (error) {
    if (error instanceof AuthenticationError) {
      throw new Error(
        `${baseUrl} refused the credentials (${error.code ?? error.status}). Check WIGWAG_CLIENT_ID, WIGWAG_CLIENT_SECRET and WIGWAG_WALLET_TOKEN.`,
      )
    }
    if (error instanceof GatewayError && error.status < 500) {
      throw new Error(
        `${baseUrl} does not answer as a gateway does: ${error.message}. Check WIGWAG_BASE_URL.`,
      )
    }
    if (!(error instanceof WigwagError)) throw error
    // It may come up later; until then every call says so.
    log(`${baseUrl} can't be reached now: ${error.message}`)
  }
}

/** The audit stands beside the journal, and is on standard error when it can't be kept there. */
function keepLine(path: string, line: AuditLine): void {
  const text = JSON.stringify(line)
  try {
    appendFileSync(path, `${text}\n`, { mode: 0o600 })
  } catch {
    log(`audit ${text}`)
  }
}

const onFault: OnFault = (error, tool) => {
  log(`${tool} failed: ${error instanceof Error ? error.stack : String(error)}`)
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
}

async function inTime(work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, STOP_MS)
  await Promise.race([work, promise])
  clearTimeout(timer)
}

/** Standard output belongs to the protocol. */
function log(line: string): void {
  process.stderr.write(`wigwag-mcp: ${line}\n`)
}
