import { isTicket } from '../../domain/ids.ts'
import { checkReference } from '../../domain/reference.ts'
import type { MessageQuery } from '../../history/index.ts'
import { decode, encode, type Position } from '../../platform/http/paging.ts'

/** As long as the longest reference. */
export const LONGEST_SEARCH = 128

/** Everything that a text may be: a ticket, a number, the customer's reference or a carrier's. Undefined if it is nothing of it. */
export function queryFor(text: string): MessageQuery | undefined {
  if (!isReference(text)) return undefined
  const number = text.replace(/[\s()+-]/g, '')
  const ticket = text.toLowerCase()
  return {
    ...(isTicket(ticket) && { ticket }),
    ...(/^[1-9]\d{6,14}$/.test(number) && { to: number }),
    reference: text,
    carrierReference: text,
  }
}

function isReference(text: string): boolean {
  try {
    checkReference(text)
    return text !== ''
  } catch {
    return false
  }
}

/** The address of a page of the list. */
export function queryOf(given: { q: string; account: string; after?: Position | undefined }): string {
  const { q, account, after } = given
  const query = new URLSearchParams({
    ...(q !== '' && { q }),
    ...(account !== '' && { account }),
    ...(after && { after: encode(after) }),
  })
  return query.size === 0 ? '/messages' : `/messages?${query}`
}

/** Where a page begins; undefined for the first, and for an address that is none of ours. */
export function placeIn(cursor: string | undefined): Position | undefined {
  try {
    return decode(cursor)
  } catch {
    return undefined
  }
}
