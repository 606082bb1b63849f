import type { Client, Transaction } from '@wigwag/sdk'

/** What a message must match, all of it. */
export interface OwnFilter {
  date_from?: string | undefined
  date_to?: string | undefined
  status?: string | undefined
  to?: string | undefined
  from?: string | undefined
}

const AT_ONCE = 8
/** Each one is a request to the gateway. */
const MOST_LOOKED_AT = 200

/**
 * What a connection has sent itself, the newest first, one look at a time: the way to search a gateway that only tells
 * the status of a message whose ticket one has.
 */
export async function ownMessages(
  client: Client,
  tickets: readonly string[],
  filter: OwnFilter,
  limit: number,
): Promise<Transaction[]> {
  const found: Transaction[] = []
  const looked = tickets.slice(0, MOST_LOOKED_AT)
  for (let from = 0; from < looked.length && found.length < limit; from += AT_ONCE) {
    const some = looked.slice(from, from + AT_ONCE).map((ticket) => client.getTransactionStatus(ticket))
    found.push(...(await Promise.all(some)).filter((message) => matches(message, filter)))
  }
  return found.slice(0, limit)
}

function matches({ DateCreated, Status, To, From }: Transaction, filter: OwnFilter): boolean {
  const { date_from, date_to, status, to, from } = filter
  const at = Date.parse(DateCreated)
  return (
    (date_from === undefined || at >= Date.parse(date_from)) &&
    (date_to === undefined || at < Date.parse(date_to)) &&
    (status === undefined || Status === status) &&
    (to === undefined || To === to) &&
    (from === undefined || From === from)
  )
}
