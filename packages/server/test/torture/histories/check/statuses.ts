import { answerOf, type History, isKind, type Send } from '../history.ts'
import { rankOf, type Sighting, sightingsOf } from './sightings.ts'
import type { Violation } from './violation.ts'

/** A gateway measures the time at the database; on a busy machine it may be off by part of a slow answer. */
const CLOCK_MS = 200

/**
 * Each message's status goes one way, whichever gateway shows it: scheduled, pending, one end; or scheduled, cancelled.
 * A read that begins after another ended never shows an earlier state, and a message that was acknowledged is there.
 *
 * An order of states needs no search: it is enough to compare each read with the furthest state that was
 * shown before it began. Overlapping reads are compared only where no order explains their states: two ends,
 * or a cancelled message that was also sent.
 */
export function checkStatuses(history: History): Violation[] {
  const sightings = sightingsOf(history)
  const sends = history.operations.filter(isKind('send'))
  const known = new Map<string, Send>()
  for (const send of sends)
    for (const ticket of answerOf(send)?.tickets ?? []) {
      const earlier = known.get(ticket)
      if (!earlier || send.ended < earlier.ended) known.set(ticket, send)
    }
  const violations: Violation[] = []
  for (const [ticket, told] of sightings) {
    const send = known.get(ticket)
    const troubles = [...orderTroubles(told), ...endTroubles(told), ...(send ? ownTroubles(told, send) : [])]
    for (const { what, operations } of troubles)
      violations.push({ rule: 'statuses', what: `${ticket}: ${what}`, operations })
  }
  return [...violations, ...missingFromSearches(history, known)]
}

type Trouble = Omit<Violation, 'rule'>

function orderTroubles(told: readonly Sighting[]): Trouble[] {
  const shown = told.filter(({ state }) => state !== 'not_found')
  const byEnd = [...shown].sort((a, b) => a.ended - b.ended)
  const byBeginning = [...shown].sort((a, b) => a.began - b.began)
  const troubles: Trouble[] = []
  let furthest: Sighting | undefined
  let next = 0
  for (const sighting of byBeginning) {
    for (let done = byEnd[next]; done && done.ended < sighting.began; done = byEnd[++next])
      if (!furthest || rankOf(done.state) > rankOf(furthest.state)) furthest = done
    // A refused cancellation does not tell whether the message has ended.
    if (furthest && sighting.state !== 'sent' && rankOf(sighting.state) < rankOf(furthest.state))
      troubles.push({
        what: `it was ${sighting.state} after it had been ${furthest.state}`,
        operations: [furthest.id, sighting.id],
      })
  }
  return troubles
}

function endTroubles(told: readonly Sighting[]): Trouble[] {
  const ends = told.filter(({ state }) => state !== 'not_found' && rankOf(state) === 2)
  const [end] = ends
  const other = ends.find(({ state }) => state !== end?.state)
  if (end && other)
    return [{ what: `it ended as ${end.state} and as ${other.state}`, operations: [end.id, other.id] }]
  const sent = told.find(({ state }) => rankOf(state) === 1)
  if (end?.state !== 'cancelled' || !sent) return []
  return [{ what: 'it was cancelled, and was sent', operations: [sent.id, end.id] }]
}

/** Sightings that contradict the send that made the message. */
function ownTroubles(told: readonly Sighting[], { id, ended, ask }: Send): Trouble[] {
  return told.flatMap((sighting) => {
    const { state, seen } = sighting
    const blame = (what: string) => [{ what, operations: [id, sighting.id] }]
    if (state === 'not_found') return sighting.began > ended ? blame('it was not found') : []
    const waits = ask.operation === 'scheduleSms'
    if (!waits && (state === 'scheduled' || state === 'cancelled')) return blame(`it was ${state}`)
    if (ask.due && state !== 'scheduled' && state !== 'cancelled' && sighting.ended < ask.due.at - CLOCK_MS)
      return blame(`it was ${state} before its time`)
    if (!seen) return []
    if (seen.mark !== ask.mark) return blame(`it was said to be of ${seen.mark}`)
    const cost = state === 'success' ? ask.price : 0
    if (seen.cost !== cost || seen.before - seen.after !== cost)
      return blame(`as ${state} it cost ${seen.cost}, from ${seen.before} to ${seen.after}`)
    return []
  })
}

/** A search for a mark finds all messages that were acknowledged before it began. */
function missingFromSearches({ operations }: History, known: ReadonlyMap<string, Send>): Violation[] {
  const byMark = Map.groupBy(known, ([, { ask }]) => ask.mark)
  const violations: Violation[] = []
  for (const search of operations.filter(isKind('search'))) {
    const { mark, whole } = search.ask
    const found = answerOf(search)
    if (!found || (mark === undefined && !whole)) continue
    const tickets = new Set(found.map(({ ticket }) => ticket))
    const expected = mark === undefined ? known : (byMark.get(mark) ?? [])
    for (const [ticket, send] of expected)
      if (send.wallet === search.wallet && send.ended < search.began && !tickets.has(ticket))
        violations.push({
          rule: 'statuses',
          what: `${ticket}: a search did not find it`,
          operations: [send.id, search.id],
        })
    for (const seen of found)
      if (mark !== undefined && seen.mark !== mark)
        violations.push({
          rule: 'statuses',
          what: `a search for ${mark} found ${seen.ticket} of ${seen.mark}`,
          operations: [search.id],
        })
  }
  return violations
}
