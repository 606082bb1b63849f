import { AuthenticationError, type Client, createClient, GatewayError, WigwagError } from '@wigwag/sdk'
import { createAuditFile } from './audit-file.ts'
import type { ClientSettings } from './client-settings.ts'
import { systemNow } from './clock.ts'
import { fastTransport } from './fast-transport.ts'
import { createFileJournal } from './file-journal.ts'
import { createGate } from './gate.ts'
import type { Identity } from './identity.ts'
import { log } from './log.ts'

/** The one connection of a client of the API, once its credentials have been checked. */
export async function ownIdentity(settings: ClientSettings): Promise<Identity> {
  const { baseUrl, clientId, clientSecret, walletToken, place, readOnly, limits, state } = settings
  // One assistant alone does not call so often that loading it pays.
  const transport = place ? await fastTransport() : undefined
  const client = createClient({ baseUrl, clientId, clientSecret, walletToken, transport })
  await checkCredentials(client, baseUrl)
  const connection = `client:${clientId}`
  const gate = createGate({
    connection,
    limits,
    journal: createFileJournal({ path: state }),
    audit: createAuditFile({ journal: state }),
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
