import { createHttpHandler, protectedResource, serveMetadata, toWeb } from '@wigwag/mcp'
import { namesOf } from '../domain/loopback.ts'
import { createGuestIdentify } from './guests.ts'
import type { Connector, ConnectorOptions } from './options.ts'
import { createProgramIdentify } from './programs.ts'

/** The tools, and the document that says who gives out the tokens for them. */
export function createServing(options: ConnectorOptions): Connector {
  const { settings, publicUrl, tokens, onFault } = options
  const identifyProgram = createProgramIdentify(options)
  const identifyGuest = tokens && createGuestIdentify(options, tokens)

  /** The address that a request came to, by the name that it was called by: tokens are made for it letter by letter. */
  function resourceOf({ headers }: Request): string {
    const names = namesOf(publicUrl())
    const called = names.find((url) => new URL(url).host === headers.get('host')) ?? names[0]
    return `${called}/mcp`
  }

  return {
    serve: (c) =>
      createHttpHandler({
        allowedHosts: [...settings.hosts, new URL(publicUrl()).host],
        onFault,
        identify: async (request) => {
          const isProgram = /^basic\b/i.test(request.headers.get('authorization') ?? '')
          return identifyGuest && !isProgram
            ? identifyGuest(request, resourceOf(request))
            : identifyProgram(c)
        },
      })(c.req.raw),

    async describe(c) {
      const { path, method, raw } = c.req
      const document = protectedResource({ resource: resourceOf(raw), issuer: publicUrl() })
      const answer = serveMetadata(path, { method }, document)
      return answer ? toWeb(answer) : c.notFound()
    },
  }
}
