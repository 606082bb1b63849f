/** Something of ours that a client can read by its address. */
export interface Link {
  uri: string
  name: string
}

/** The address of a message begins with this and ends with its ticket. */
export const MESSAGES = 'wigwag://messages/'
/** The tickets that fit into an address as they are. */
export const TICKET = /^[\w-]{1,64}$/

/** The address of a message. None for a ticket that does not fit into one, which only another gateway can give. */
export function linksTo(ticket: string): Link[] {
  return TICKET.test(ticket) ? [{ uri: `${MESSAGES}${ticket}`, name: `Message ${ticket}` }] : []
}
