import { createBearerIdentify, type Identity, TokenEnded } from '@wigwag/mcp'
import { createClient } from '@wigwag/sdk'
import { insideOf } from './inside.ts'
import { journalOf } from './journal.ts'
import type { ConnectorOptions, Guest, Tokens } from './options.ts'

type Identify = (request: Request) => Promise<Identity | Response>

/** Knows assistants by the tokens that people gave them, each good at the one address that it was made for. */
export function createGuestIdentify(options: ConnectorOptions, { check, issue }: Tokens) {
  const { clock, publicUrl, decide, audit } = options
  const byResource = new Map<string, Identify>()

  function identifyAt(resource: string): Identify {
    return createBearerIdentify<Guest>({
      tokens: {
        verify: (token) => check(token, resource),
        async exchange(token) {
          const guest = await check(token, resource)
          if (!guest) throw new TokenEnded('the connection has ended')
          return issue(guest.connection, guest.canSend)
        },
      },
      resource: () => resource,
      portal: () => `${publicUrl()}/connections`,
      createClient: (access) => createClient({ ...insideOf(options), ...access }),
      journalOf: ({ connection }) => journalOf(decide.connection, connection),
      audit: (line, { accountId }) => audit(accountId, line),
      now: clock.now,
    })
  }

  /** `resource` is one of the few names that the gateway has. */
  return function identifyGuest(request: Request, resource: string): Promise<Identity | Response> {
    const identify = byResource.get(resource) ?? identifyAt(resource)
    byResource.set(resource, identify)
    return identify(request)
  }
}
