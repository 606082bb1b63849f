import { officialClients, type Target } from '../../fixtures/clients.ts'
import { openGateway } from '../../fixtures/gateway.ts'
import { freshState } from '../../fixtures/process.ts'
import { openRealGateway, type RealGateway } from '../../sign-in/real-gateway.ts'
import { startSignInConnector } from '../../sign-in/running-connector.ts'

interface Place {
  target: Target
  now: number
}

type Unasked = 'send' | 'refuse'

/** Where an official client finds the tools; each has a wallet that no other uses. */
const places: Readonly<Record<string, (unasked?: Unasked) => Promise<Place>>> = {
  async 'a gateway, signed in'(unasked) {
    const gateway = await openRealGateway()
    return signedIn(gateway, `${gateway.issuer}/mcp`, unasked)
  },
  async 'a connector with --http, signed in'(unasked) {
    const gateway = await openRealGateway()
    return signedIn(gateway, (await startSignInConnector(gateway)).url, unasked)
  },
  async 'a connector over stdio'(unasked = 'send') {
    const { env, sandbox } = await openGateway()
    const target = { env: { ...env, WIGWAG_MCP_STATE: freshState(), WIGWAG_MCP_UNASKED: unasked } }
    return { target, now: sandbox.clock.now().getTime() }
  },
}

async function signedIn(gateway: RealGateway, url: string, unasked: Unasked = 'send'): Promise<Place> {
  const { connection, token } = await gateway.allow(url, { canSend: true })
  await gateway.limit(connection, { unasked })
  return { target: { url, token }, now: Date.now() }
}

/** Every official client, at every place. */
export const cases = Object.entries(officialClients).flatMap(([client, connect]) =>
  Object.entries(places).map(([place, open]) => ({ client, connect, place, open })),
)
