import { asSentence } from '@wigwag/contract'
import { AuthenticationError, type Client, createClient, GatewayError, WigwagError } from '@wigwag/sdk'
import { systemNow } from '../clock.ts'
import { createAsking } from '../confirm/index.ts'
import { createAuditFile, createFileJournal, createGate } from '../gate/index.ts'
import type { Identity } from '../tools/index.ts'
import { log } from './command-line.ts'
import { fastTransport } from './fast-transport.ts'
import { OWN_NAME } from './own-name.ts'
import type { ClientSettings } from './settings.ts'

/** The connection for the credentials in the settings. Resolves when the gateway has checked them. */
export async function ownIdentity(settings: ClientSettings): Promise<Identity> {
  const { baseUrl, clientId, clientSecret, walletToken, place, readOnly, isLimitSaid } = settings
  const { limits, unasked, state } = settings
  if (!readOnly && !isLimitSaid) log(ONLY_READS)
  // A single assistant over stdio calls too rarely for this transport to be worth loading.
  const transport = place ? await fastTransport() : undefined
  const client = createClient({
    baseUrl,
    clientId,
    clientSecret,
    walletToken,
    fetch: transport,
    headers: OWN_NAME,
  })
  await checkCredentials(client, baseUrl)
  const connection = `client:${clientId}`
  const gate = createGate({
    connection,
    limits,
    journal: createFileJournal({ path: state }),
    audit: createAuditFile({ journal: state, log }),
    now: systemNow,
  })
  const asking = createAsking({ connection, key: clientSecret, unasked })
  return { connection, client, gate, canSend: !readOnly && isLimitSaid, asking }
}

const ONLY_READS =
  'only reads, because no limit on spend is set. To let it send, set WIGWAG_MCP_DAILY_SPEND, such as 5; ' +
  '--read-only leaves out this line.'

/** A wrong secret is reported now, to a person, and not to the model in its first call. */
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
        `${asSentence(`${baseUrl} does not answer as a gateway does: ${error.message}`)} Check WIGWAG_BASE_URL.`,
      )
    }
    if (!(error instanceof WigwagError)) throw error
    // The gateway may come up later. Until then, every call fails and says so.
    log(`${baseUrl} can't be reached at the moment: ${error.message}`)
  }
}
