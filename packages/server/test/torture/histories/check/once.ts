import { answerOf, type History, isKind, type Search, type Seen, type Send, type Taken } from '../history.ts'
import { type Request, sendsOf } from './requests.ts'
import type { Rule, Violation } from './violation.ts'

const rule: Rule = 'once'

/**
 * In the end there is one set of messages for each request that was acknowledged, none for one that was refused, at
 * most one for one whose answer was lost, and no other. The carrier took each message once if it was delivered, never
 * if it was cancelled or refused, and never twice.
 *
 * Only the listing in the end shows which messages there are. A message that no answer names and no listing shows would be found
 * only if the carrier took it, or if its price is missing from a balance.
 */
export function checkOnce(history: History): Violation[] {
  const { operations, quietFrom, wallets } = history
  const listings = wallets.flatMap(({ name }) => {
    const listing = operations
      .filter(isKind('search'))
      .find(({ wallet, ask, began }) => wallet === name && ask.whole && began >= quietFrom)
    return listing ? [listing] : []
  })
  const messages = listings.flatMap((listing) => answerOf(listing) ?? [])
  const byMark = Map.groupBy(messages, ({ mark }) => mark)
  const requests = sendsOf(history)
  const violations = requests.flatMap((request) => requestTroubles(request, byMark))
  const asked = new Set(requests.flatMap(({ attempts }) => attempts.map(({ ask }) => ask.mark)))
  for (const { ticket, mark } of messages)
    if (!asked.has(mark))
      violations.push({ rule, what: `${ticket} is there, and was not sent`, operations: [] })
  return [
    ...violations,
    ...vanished(operations.filter(isKind('search')), messages),
    ...carrierTroubles(history, byMark),
    ...unfinished(messages),
  ]
}

function requestTroubles(
  { name, attempts, uses }: Request<Send>,
  byMark: ReadonlyMap<string, Seen[]>,
): Violation[] {
  const violations: Violation[] = []
  const there: string[] = []
  for (const [mark, same] of Map.groupBy(attempts, ({ ask }) => ask.mark)) {
    const blame = (what: string) =>
      violations.push({ rule, what: `${name}: ${what}`, operations: same.map(({ id }) => id) })
    const messages = byMark.get(mark) ?? []
    const size = same[0]?.ask.to.length ?? 0
    if (messages.length > 0) there.push(mark)
    if (messages.length !== 0 && messages.length !== size)
      blame(`${messages.length} messages are there for ${size}`)
    const acknowledged = new Set(same.flatMap((send) => answerOf(send)?.tickets ?? []))
    const present = new Set(messages.map(({ ticket }) => ticket))
    for (const ticket of acknowledged)
      if (!present.has(ticket)) blame(`${ticket} was acknowledged and is not there`)
    const mayBe = uses.some(
      ({ body, result, answer }) => body === mark && (answer !== undefined || result === 'unknown'),
    )
    if (messages.length > 0 && !mayBe) blame('it was refused, and sent')
  }
  if (there.length > 1)
    violations.push({
      rule,
      what: `${name}: messages of ${there.length} bodies are there`,
      operations: attempts.map(({ id }) => id),
    })
  return violations
}

/** Messages that a search has shown, and that are gone in the end. */
function vanished(searches: readonly Search[], messages: readonly Seen[]): Violation[] {
  const present = new Set(messages.map(({ ticket }) => ticket))
  const gone = new Map<string, number>()
  for (const search of searches)
    for (const { ticket } of answerOf(search) ?? []) if (!present.has(ticket)) gone.set(ticket, search.id)
  return [...gone].map(([ticket, id]) => ({
    rule,
    what: `${ticket} was there, and is gone`,
    operations: [id],
  }))
}

function unfinished(messages: readonly Seen[]): Violation[] {
  return messages
    .filter(({ status }) => status === 'scheduled' || status === 'pending')
    .map(({ ticket, status }) => ({ rule, what: `${ticket} is ${status} for ever`, operations: [] }))
}

/** A message that was ended before its carrier answered may have been taken: expired, failed and rejected say nothing. */
function carrierTroubles({ taken, operations }: History, byMark: ReadonlyMap<string, Seen[]>): Violation[] {
  const violations: Violation[] = []
  const blame = (what: string) => violations.push({ rule, what, operations: [] })
  const times = new Map<string, number>()
  for (const { mark, destination, part } of taken) {
    const name = `${mark} to ${destination}, part ${part}`
    times.set(name, (times.get(name) ?? 0) + 1)
  }
  for (const [name, count] of times) if (count > 1) blame(`the carrier took ${name} ${count} times`)
  const asks = new Map(operations.filter(isKind('send')).map(({ ask }) => [ask.mark, ask]))
  const byCarrier = Map.groupBy(taken, ({ mark }: Taken) => mark)
  for (const [mark, parts] of byCarrier) {
    const messages = byMark.get(mark) ?? []
    if (messages.length === 0)
      blame(`the carrier took ${parts.length} parts of ${mark}, which was never sent`)
    if (messages.length > 0 && messages.every(({ status }) => status === 'cancelled'))
      blame(`the carrier took ${mark}, which was cancelled`)
  }
  for (const [mark, messages] of byMark) {
    const segments = asks.get(mark)?.segments ?? 1
    const delivered = messages.filter(({ status }) => status === 'success').length * segments
    const parts = byCarrier.get(mark)?.length ?? 0
    if (parts < delivered)
      blame(`the carrier took ${parts} parts of ${mark}, of which ${delivered} were delivered`)
  }
  return violations
}
