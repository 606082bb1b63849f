/** The methods whose `Mcp-Name` header repeats a parameter, and which one. */
const NAMED = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

interface Request {
  method: string
  params?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Says which header of a request of 2026-07-28 is missing or differs from its body; undefined when they
 * agree. The headers repeat version, method and name for proxies that don't read bodies. The library compares
 * version and method only where they are present.
 */
export function headerMismatch(
  header: (name: string) => string | null,
  { method, params }: Request,
): string | undefined {
  if (header('mcp-protocol-version') === null)
    return missing('MCP-Protocol-Version', 'the version in its _meta')
  if (header('mcp-method') === null) return missing('Mcp-Method', `its method, ${shown(method)}`)
  const named = NAMED.get(method)
  const name = named === undefined ? undefined : params?.[named]
  if (typeof name !== 'string') return undefined
  const given = header('mcp-name')
  if (given === null) return missing('Mcp-Name', `params.${named}, ${shown(name)}`)
  const said = decoded(given.trim())
  if (said === name) return undefined
  return said === undefined
    ? `Expected the header Mcp-Name as text or as =?base64?…?= with valid base64; got ${shown(given)}.`
    : `Expected the header Mcp-Name to be params.${named}, ${shown(name)}; got ${shown(said)}.`
}

/** The text of a header value, which may be wrapped in base64; undefined when the base64 is not valid. */
function decoded(value: string): string | undefined {
  const base64 = /^=\?base64\?(.*)\?=$/s.exec(value)?.[1]
  if (base64 === undefined) return value
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? bytes.toString('utf8') : undefined
}

function missing(name: string, repeated: string): string {
  return `Expected the header ${name} with ${repeated}; the request has none.`
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, 100))
}
