import {
  type Implementation,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCResultResponse,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server'
import packageJson from '../../package.json' with { type: 'json' }
import { STATELESS } from './revisions.ts'

/** The gateway's mark, a flag with a red heart, as its pages have it in a browser's tab. */
const FLAG =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>" +
  "<rect x='1.5' y='1.5' width='21' height='21' rx='3' fill='#fff' stroke='#7d868d'/>" +
  "<rect x='7.5' y='7.5' width='9' height='9' fill='#c8321f'/></svg>"

const ICON = {
  src: `data:image/svg+xml;base64,${Buffer.from(FLAG).toString('base64')}`,
  mimeType: 'image/svg+xml',
  sizes: ['any'],
}

/** The server's name and version. Must be short: at 2026-07-28 each result repeats it. */
export const SERVER = { name: 'wigwag', title: 'Wigwag SMS', version: packageJson.version }

/** The server as a client of the revision may show it. */
function serverAt(revision: string): Implementation {
  const { title, ...oldest } = SERVER
  if (revision < '2025-06-18') return oldest
  return revision < '2025-11-25' ? SERVER : { ...SERVER, icons: [ICON], websiteUrl: packageJson.homepage }
}

/**
 * The message as a client of the revision knows it. The library writes the same for all earlier revisions, and the server
 * the same for all.
 */
export function atRevision(revision: string, message: JSONRPCMessage): JSONRPCMessage {
  if ('error' in message) return revision < STATELESS ? withEarlierCode(message) : message
  if (!('result' in message)) return message
  const agreed = agreedRevision(message)
  if (agreed !== undefined) return withResult(message, { serverInfo: serverAt(agreed) })
  const { _meta, content, supportedVersions } = message.result
  // The answer to `server/discover`.
  if (supportedVersions !== undefined) {
    return withResult(message, { _meta: { ..._meta, [SERVER_INFO_META_KEY]: serverAt(revision) } })
  }
  if (revision >= '2025-06-18' || !Array.isArray(content)) return message
  return withResult(message, { content: content.filter(({ type }) => type !== 'resource_link') })
}

/** The revision of the handshake, if the message ends one. */
export function agreedRevision(message: JSONRPCMessage): string | undefined {
  if (!('result' in message) || !('serverInfo' in message.result)) return undefined
  const { protocolVersion } = message.result
  return typeof protocolVersion === 'string' ? protocolVersion : undefined
}

/** The library gives a resource that is not there the code of 2026-07-28 at all revisions. */
function withEarlierCode(message: JSONRPCErrorResponse): JSONRPCErrorResponse {
  const { code, data } = message.error
  const isNotFound =
    code === ProtocolErrorCode.InvalidParams && typeof data === 'object' && data !== null && 'uri' in data
  if (!isNotFound) return message
  return { ...message, error: { ...message.error, code: ProtocolErrorCode.ResourceNotFound } }
}

function withResult(message: JSONRPCResultResponse, changed: object): JSONRPCResultResponse {
  return { ...message, result: { ...message.result, ...changed } }
}
