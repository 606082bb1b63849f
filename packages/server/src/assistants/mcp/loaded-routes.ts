import { namesOf } from '@wigwag/contract'
import { createHttpHandler, protectedResource, serveMetadata, toWeb } from '@wigwag/mcp'
import { createGuestIdentify, createProgramIdentify } from './callers.ts'
import type { McpOptions, McpRoutes } from './options.ts'

/** Serves the tools, and the metadata document that names their authorization server. */
export function loadedRoutes(options: McpOptions): McpRoutes {
  const { settings, publicUrl, tokens, onFault } = options
  const identifyProgram = createProgramIdentify(options)
  const identifyGuest = tokens && createGuestIdentify(options, tokens)

  /** The resource under the name that the request used. A token is valid for exactly one such address. */
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
