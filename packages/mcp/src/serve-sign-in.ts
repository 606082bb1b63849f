import { createClient } from '@wigwag/sdk'
import { createAuditFile } from './audit-file.ts'
import { createBearerIdentify } from './bearer-identify.ts'
import { isLoopback } from './command-line.ts'
import { createTokenExchange } from './exchange.ts'
import { fastTransport } from './fast-transport.ts'
import { createFileJournal } from './file-journal.ts'
import type { HttpReply, HttpRequest } from './http-message.ts'
import { log } from './log.ts'
import { protectedResource, serveMetadata } from './protected-resource.ts'
import type { OnFault } from './protocol.ts'
import { type HttpServer, LOOPBACK_NAMES, serveHttp } from './serve-http.ts'
import { SignInUnavailable, type TokenService } from './sign-in.ts'
import type { SignInSettings } from './sign-in-settings.ts'
import { replyOf } from './web-message.ts'

/** Serves everybody who signs in at the gateway, which this process is apart from. Resolves when it listens. */
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
    createClient: (access) => createClient({ baseUrl: issuer, transport, ...access }),
    journalOf: () => journal,
    audit: createAuditFile({ journal: state }),
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
  })
}

/** An address for all networks is one of this machine too. */
function isLocal(host: string): boolean {
  return isLoopback(host) || host === '0.0.0.0' || host === '::'
}

/** What is wrong for good is told now, to a person, and not with the first call, to an assistant. */
async function checkSetUp(tokens: TokenService, issuer: string): Promise<void> {
  try {
    await tokens.verify('nobodys-token')
  } catch (error) {
    if (!(error instanceof SignInUnavailable) || error.kind === 'set-up') throw error
    // It may come up later; until then every call is answered with 503.
    log(`${issuer} can't be asked about tokens now: ${error.message}`)
  }
}
