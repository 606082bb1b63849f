import type { Entry } from './journal.ts'

type Attempt = Extract<Entry, { kind: 'attempt' }>

/** A send as the journal tells it. */
export interface RecordedSend extends Omit<Attempt, 'kind' | 'key'> {
  keys: Set<string>
  tickets: Set<string>
  attempts: number
  failures: number
}

/**
 * The sends of a connection that went out, may have, or are on their way. Only a send of which every attempt surely
 * failed is not among them.
 */
export function sendsOf(entries: readonly Entry[], connection: string): RecordedSend[] {
  const sends = new Map<string, RecordedSend>()
  for (const entry of entries) {
    const send = sends.get(entry.id)
    if (entry.kind === 'attempt') {
      if (send) send.attempts += 1
      else if (entry.connection === connection) sends.set(entry.id, begun(entry))
    } else if (send) {
      if (entry.outcome === 'failed') send.failures += 1
      if (entry.ticket) send.tickets.add(entry.ticket)
      if (entry.key) send.keys.add(entry.key)
    }
  }
  return [...sends.values()].filter((send) => send.failures < send.attempts)
}

/** How many messages a send became: more than one when the gateway does not honour idempotency keys. */
export function copiesOf({ tickets }: RecordedSend): number {
  return Math.max(1, tickets.size)
}

function begun({ kind, key, ...attempt }: Attempt): RecordedSend {
  return {
    ...attempt,
    keys: new Set(key === undefined ? [] : [key]),
    tickets: new Set(),
    attempts: 1,
    failures: 0,
  }
}
