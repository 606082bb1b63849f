import * as z from 'zod'
import packageJson from '../../package.json' with { type: 'json' }
import { unexpected, type Visit, type Visited, Wrong } from './visit.ts'

const NEWEST = '2026-07-28'
export const CLIENT = { name: 'wigwag connector check', version: packageJson.version }

/** Any answer of the protocol, also a refusal. */
const answerSchema = z.object({ jsonrpc: z.literal('2.0') })
const refusalSchema = answerSchema.extend({ error: z.object({ code: z.number(), message: z.string() }) })
const discoverySchema = answerSchema.extend({
  result: z.object({ supportedVersions: z.array(z.string()) }),
})

/**
 * Asks as a client of 2026-07-28 does first. One plain request, because the library for the earlier revisions does not
 * know this one. It changes nothing, so it also serves as the first request without a token.
 */
export function askDiscovery(visit: Visit, url: string, token?: string): Promise<Visited> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': NEWEST,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return visit(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': NEWEST,
      'mcp-method': 'server/discover',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } }),
  })
}

export function isOfProtocol({ json }: Visited): boolean {
  return answerSchema.safeParse(json).success
}

/** Whether the revision is spoken, in words. A refusal in the protocol's form means that it isn't. */
export function readDiscovery(visited: Visited): { spoken: boolean; detail: string } {
  const { data } = discoverySchema.safeParse(visited.json)
  const versions = data?.result.supportedVersions
  if (versions?.includes(NEWEST)) return { spoken: true, detail: 'spoken' }
  if (versions) return { spoken: false, detail: `not spoken; it names ${versions.join(', ')}` }
  if (visited.status !== 401 && refusalSchema.safeParse(visited.json).success)
    return { spoken: false, detail: 'not spoken; assistants fall back to an earlier revision' }
  if (visited.status === 401)
    throw new Wrong(`${visited.request}: the token is refused, although it was given for this address`)
  throw unexpected(visited, 'an answer to server/discover')
}
