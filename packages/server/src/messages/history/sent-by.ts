import type { Tx } from '../../store/database.ts'
import { inChunks, placeholders } from '../../store/rows.ts'
import { readSentBy, type SentByKind } from '../index.ts'

/** Who sent a message. */
export interface SentBy {
  kind: SentByKind
  /** A client ID, a person's address, or what an assistant calls itself; undefined once it is forgotten. */
  name: string | undefined
}

interface Named {
  id: string
  name: string
}

const PEOPLE = 'SELECT id, email AS name FROM people WHERE id IN'
const CONNECTIONS = 'SELECT id, client_name AS name FROM connections WHERE id IN'

/** Finds who sent a message among {@link sendersOf} it. */
export type Senders = (message: { sentBy: string | null }) => SentBy | undefined

/** Who sent some messages. Costs nothing where API clients did. */
export async function sendersOf(tx: Tx, messages: readonly { sentBy: string | null }[]): Promise<Senders> {
  const all = new Set(messages.map(({ sentBy }) => sentBy))
  const idsIn = (prefix: string) =>
    [...all].flatMap((sentBy) => {
      const read = readSentBy(sentBy)
      return read?.in === prefix ? [read.id] : []
    })
  const names = new Map([
    ...(await namesIn(tx, PEOPLE, idsIn('person'))),
    ...(await namesIn(tx, CONNECTIONS, idsIn('connection'))),
  ])
  return ({ sentBy }) => {
    const read = readSentBy(sentBy)
    if (!read) return undefined
    const isClient = read.in === 'client' || read.in === 'tools'
    return { kind: read.kind, name: isClient ? read.id : names.get(read.id) }
  }
}

async function namesIn({ run }: Tx, select: string, ids: readonly string[]): Promise<[string, string][]> {
  const found: [string, string][] = []
  await inChunks(ids, async (chunk) => {
    const rows = await run<Named>(`${select} ${placeholders(1, chunk.length)}`, chunk)
    for (const { id, name } of rows) found.push([id, name])
  })
  return found
}

/** The senders whose messages a filter asks for. */
export interface WantedSenders {
  sent(message: { sentBy: string | null }): boolean
  /** No API client is among them. */
  notByApi: boolean
}

const KINDS: Readonly<Record<string, SentByKind>> = {
  api: 'api',
  person: 'person',
  people: 'person',
  assistant: 'assistant',
  assistants: 'assistant',
}

/** Reads `by:` of a filter: a kind, or a part of a name. Undefined when nobody of the account is called so. */
export async function wantedSenders(
  tx: Tx,
  accountId: string,
  typed: string,
): Promise<WantedSenders | undefined> {
  const wanted = typed.toLowerCase()
  const kind = Object.hasOwn(KINDS, wanted) ? KINDS[wanted] : undefined
  if (kind !== undefined)
    return { sent: ({ sentBy }) => readSentBy(sentBy)?.kind === kind, notByApi: kind !== 'api' }
  const named = new Set<string>()
  for (const [prefixes, select] of WHO) {
    for (const { id, name } of await tx.run<Named>(select, [accountId]))
      if (name.toLowerCase().includes(wanted)) for (const prefix of prefixes) named.add(`${prefix}:${id}`)
  }
  if (named.size === 0) return undefined
  return {
    sent: ({ sentBy }) => sentBy !== null && named.has(sentBy),
    notByApi: [...named].every((one) => readSentBy(one)?.kind !== 'api'),
  }
}

/** All who may have sent messages of an account, those who have left included. */
const WHO: readonly (readonly [prefixes: readonly string[], select: string])[] = [
  [['client', 'tools'], 'SELECT id, id AS name FROM clients WHERE account_id = $1'],
  [['connection'], 'SELECT id, client_name AS name FROM connections WHERE account_id = $1'],
  [
    ['person'],
    'SELECT p.id, p.email AS name FROM memberships m JOIN people p ON p.id = m.person_id WHERE m.account_id = $1',
  ],
]
