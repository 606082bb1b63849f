import { type EpochMs, isTicket, type Ticket } from '../../domain/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { inChunks, placeholders } from '../../platform/database/rows.ts'
import { findRefs } from '../finish/refs.ts'
import { countUncertain, type UncertainMessage, uncertainAmong } from './uncertain.ts'

export interface NamedMessages {
  /** By what the list calls them. */
  uncertain: ReadonlyMap<string, UncertainMessage>
  /** The names of messages about which nothing is to be decided. */
  others: readonly string[]
  /** The names of no message. A carrier's reference is known while its message is under way. */
  unknown: readonly string[]
}

/** The messages that a carrier's list names, by our tickets or by its own references. */
export async function namedMessages(
  tx: Tx,
  names: readonly string[],
  carrier: string | undefined,
  now: EpochMs,
): Promise<NamedMessages> {
  const tickets = await ticketsOf(tx, names, carrier, now)
  const ids = [...new Set(tickets.values())]
  const listed = await uncertainAmong(tx, now, ids)
  const byTicket = new Map(
    listed
      .filter((message) => carrier === undefined || message.carrier === carrier)
      .map((message) => [message.ticket, message]),
  )
  const known = await existing(tx, ids)
  const named = (name: string) => tickets.get(name)
  const isKnown = (name: string) => known.has(named(name) ?? '')
  const uncertain = new Map<string, UncertainMessage>()
  for (const name of names) {
    const message = byTicket.get(named(name) ?? ('' as Ticket))
    if (message) uncertain.set(name, message)
  }
  return {
    uncertain,
    others: names.filter((name) => isKnown(name) && !uncertain.has(name)),
    unknown: names.filter((name) => !isKnown(name)),
  }
}

/** The messages that names may mean: a ticket, or the reference of a carrier that has uncertain messages. */
async function ticketsOf(
  tx: Tx,
  names: readonly string[],
  carrier: string | undefined,
  now: EpochMs,
): Promise<Map<string, Ticket>> {
  const tickets = new Map<string, Ticket>()
  for (const name of names) if (isTicket(name)) tickets.set(name, name.toLowerCase() as Ticket)
  const references = names.filter((name) => !tickets.has(name))
  const carriers = carrier === undefined ? await countUncertain(tx, now) : [{ carrier }]
  for (const one of carriers) {
    for (const [name, { ticket }] of await findRefs(tx, one.carrier, references)) tickets.set(name, ticket)
  }
  return tickets
}

async function existing({ run }: Tx, tickets: readonly Ticket[]): Promise<Set<string>> {
  const found = new Set<string>()
  await inChunks(tickets, async (chunk) => {
    const rows = await run<{ id: string }>(
      `SELECT id FROM messages WHERE id IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
    for (const { id } of rows) found.add(id)
  })
  return found
}
