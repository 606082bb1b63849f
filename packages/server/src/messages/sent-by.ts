import type { Principal } from '../platform/http/principal.ts'

/** Who sends messages: an API client, a person on a page, or an assistant. */
export type SentByKind = 'api' | 'person' | 'assistant'

/** What `sent_by` begins with. A program that uses the tools with API credentials counts as an assistant. */
const KINDS: Readonly<Record<string, SentByKind>> = {
  client: 'api',
  person: 'person',
  connection: 'assistant',
  tools: 'assistant',
}

/** The caller, as the messages that it sends name it. Names are looked up when they are read, so they may change. */
export function sentByOf({ person, connection, forTools, clientId }: Principal): string {
  if (person !== undefined) return `person:${person}`
  if (connection) return `connection:${connection.id}`
  return `${forTools ? 'tools' : 'client'}:${clientId}`
}

/** The parts of `sent_by`; undefined for a message from before it was stored. */
export function readSentBy(sentBy: string | null): { kind: SentByKind; in: string; id: string } | undefined {
  const [, prefix = '', id = ''] = /^([a-z]+):(.+)$/s.exec(sentBy ?? '') ?? []
  const kind = KINDS[prefix]
  return kind && { kind, in: prefix, id }
}
