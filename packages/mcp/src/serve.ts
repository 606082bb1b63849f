import { appendFileSync } from 'node:fs'
import { AuthenticationError, type Client, createClient, GatewayError, WigwagError } from '@wigwag/sdk'
import type { AuditLine } from './audit.ts'
import { systemNow } from './clock.ts'
import { fastTransport } from './fast-transport.ts'
import { createFileJournal } from './file-journal.ts'
import { createGate } from './gate.ts'
import type { Identity } from './identity.ts'
import { log } from './log.ts'
import type { OnFault } from './protocol.ts'
import { serveHttp } from './serve-http.ts'
import type { Settings } from './settings.ts'
import { serveStdio } from './stdio.ts'

/** How long a stop waits for calls under way. What is still open then is counted as if it was sent. */
const STOP_MS = 5_000

/** Runs the connector until its client goes away or the process is told to stop. */
export async function serve(settings: Settings): Promise<void> {
  const { baseUrl, clientId, clientSecret, walletToken, http } = settings
  // One assistant alone does not call so often that loading it pays.
  const transport = http ? await fastTransport() : undefined
  const client = createClient({ baseUrl, clientId, clientSecret, walletToken, transport })
  await checkCredentials(client, baseUrl)
  const identity = identityOf(client, settings)
  if (http) {
    const server = await serveHttp({ identity, ...http, onFault })
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

function identityOf(client: Client, { clientId, readOnly, limits, state }: Settings): Identity {
  const connection = `client:${clientId}`
  const gate = createGate({
    connection,
    limits,
    journal: createFileJournal({ path: state }),
    audit: (line) => keepLine(`${state}.audit`, line),
    now: systemNow,
  })
  return { connection, client, gate, canSend: !readOnly }
}

/** A wrong secret is told now, to a person, and not with the first call, to a model. */
async function checkCredentials(client: Client, baseUrl: string): Promise<void> {
  try {
    await client.getBalance({ retries: 0, timeout: 10_000 })
  } catch (error) {
    if (error instanceof AuthenticationError) {
      throw new Error(
        `${baseUrl} refused the credentials (${error.code ?? error.status}). Check WIGWAG_CLIENT_ID, ` +
          'WIGWAG_CLIENT_SECRET and WIGWAG_WALLET_TOKEN.',
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
