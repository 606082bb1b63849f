import { answerOf, codeOf, type History, type Operation, type Seen } from '../history.ts'

/** The state of a message that an operation told, at some time between its beginning and its end. */
export interface Sighting {
  id: number
  began: number
  ended: number
  /** `sent`: pending or any end but cancelled, which is what a refused cancellation tells. */
  state: string
  seen?: Seen
}

/** The sightings of each message. An entry in the ledger tells that the message was delivered. */
export function sightingsOf({ operations }: History): Map<string, Sighting[]> {
  const found = new Map<string, Sighting[]>()
  for (const operation of operations) {
    for (const { ticket, state, seen } of toldBy(operation)) {
      const { id, began, ended } = operation
      const sightings = found.get(ticket) ?? []
      sightings.push({ id, began, ended, state, ...(seen && { seen }) })
      found.set(ticket, sightings)
    }
  }
  return found
}

interface Told {
  ticket: string
  state: string
  seen?: Seen
}

function toldBy(operation: Operation): Told[] {
  switch (operation.kind) {
    case 'status':
    case 'cancel': {
      const seen = answerOf(operation)
      if (seen) return [{ ticket: operation.ask.ticket, state: seen.status, seen }]
      const code = codeOf(operation)
      if (code === 'not_found') return [{ ticket: operation.ask.ticket, state: 'not_found' }]
      return code === 'not_cancellable' ? [{ ticket: operation.ask.ticket, state: 'sent' }] : []
    }
    case 'search':
      return (answerOf(operation) ?? []).map((seen) => ({ ticket: seen.ticket, state: seen.status, seen }))
    case 'ledger':
      return (answerOf(operation) ?? []).flatMap(({ ticket }) =>
        ticket === undefined ? [] : [{ ticket, state: 'success' }],
      )
    default:
      return []
  }
}

/** The place of a state in a message's life, which it only goes up. */
export function rankOf(state: string): number {
  if (state === 'scheduled') return 0
  return state === 'pending' || state === 'sent' ? 1 : 2
}
