import { createClient } from '@wigwag/sdk'
import { createAuditFile, createFileJournal } from '../gate/index.ts'
import {
  createBearerIdentify,
  createTokenExchange,
  SignInUnavailable,
  type TokenService,
} from '../sign-in/index.ts'
import type { OnFault } from '../tools/index.ts'
import {
  type HttpReply,
  type HttpRequest,
  type HttpServer,
  protectedResource,
  replyOf,
  serveHttp,
  serveMetadata,
} from '../transports/index.ts'
import { isLoopback, LOOPBACK_NAMES, log } from './command-line.ts'
import { fastTransport } from './fast-transport.ts'
import { OWN_NAME } from './own-name.ts'
import type { SignInSettings } from './settings.ts'

/** Serves everyone who signs in at the gateway, which is another process. Resolves when it listens. */
export async function serveSignIn(settings: SignInSettings, onFault: OnFault): Promise<HttpServer> {
  const { issuer, resource, connectorId, connectorSecret, place, state } = settings
  const tokens = createTokenExchange({ issuer, resource, connectorId, connectorSecret })
  await checkSetUp(tokens, issuer)

  const transport = await fastTransport()
  const journal = createFileJournal({ path: state })
  const identify = createBearerIdentify({
    tokens,
    resource: () => resource,
    portal: () => `${issuer}/connections`,
    createClient: (access) =>
      createClient({ baseUrl: issuer, fetch: transport, headers: OWN_NAME, ...access }),
    journalOf: () => journal,
    stateKey: connectorSecret,
    audit: createAuditFile({ journal: state, log }),
    onUnavailable: ({ message }) => log(message),
  })
  const document = protectedResource({ resource, issuer })

  return serveHttp({
    place,
    allowedHosts: [new URL(resource).hostname, ...(isLocal(place.host) ? LOOPBACK_NAMES : [])],
    async identify({ header }: HttpRequest) {
      const known = await identify({ headers: { get: header } })
      return known instanceof Response ? replyOf(known) : known
    },
    beside: (path, request): HttpReply | undefined => serveMetadata(path, request, document),
    onFault,
    log,
  })
}

/** Whether loopback names reach a server on this host: they also do when it listens on all networks. */
function isLocal(host: string): boolean {
  return isLoopback(host) || host === '0.0.0.0' || host === '::'
}

/** A mistake in the set-up is reported now, to a person, and not to an assistant in its first call. */
async function checkSetUp(tokens: TokenService, issuer: string): Promise<void> {
  try {
    await tokens.verify('nobodys-token')
  } catch (error) {
    if (!(error instanceof SignInUnavailable) || error.kind === 'set-up') throw error
    // The gateway may come up later. Until then, every call is answered with 503.
    log(`${issuer} can't check tokens at the moment: ${error.message}`)
  }
}
