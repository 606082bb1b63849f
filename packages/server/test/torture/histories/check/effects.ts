import type { History } from '../history.ts'
import { winOf } from './first-wins.ts'
import { bodyOf, bookingsOf, sendsOf } from './requests.ts'
import { rankOf, type Sighting, sightingsOf } from './sightings.ts'

/** A change of what a wallet can spend, which happened once, between these times. */
export interface Effect {
  /** The request that caused it. */
  of: string
  change: number
  from: number
  to: number
}

/**
 * All changes of the amount that a wallet can spend: bookings, holds, and holds released for undelivered
 * messages. A charge changes nothing, since the hold came before. An effect that no client was told of
 * happened if a later read shows it.
 */
export function effectsOf(history: History): Map<string, Effect[]> {
  const sightings = sightingsOf(history)
  const tickets = ticketsByMark(sightings)
  const effects = new Map<string, Effect[]>(history.wallets.map(({ name }) => [name, []]))
  const add = (wallet: string, effect: Effect) => effects.get(wallet)?.push(effect)
  const latest = history.quietFrom

  for (const { name, wallet, attempts, uses } of sendsOf(history)) {
    for (const mark of new Set(attempts.map(({ ask }) => ask.mark))) {
      const ask = attempts.find((attempt) => attempt.ask.mark === mark)?.ask
      const told = uses.some(({ body, answer }) => body === mark && answer !== undefined)
      const shown = tickets.get(mark) ?? []
      if (!ask || (!told && shown.length === 0)) continue
      const win = winOf(uses, mark, latest)
      const seenAt = shown.flatMap((ticket) => (sightings.get(ticket) ?? []).map(({ ended }) => ended))
      const hold = { from: win.from, to: Math.min(win.to, ...seenAt) }
      add(wallet, { of: name, change: -ask.price * ask.to.length, ...hold })
      for (const ticket of shown) {
        const end = endOf(sightings.get(ticket) ?? [], { from: hold.from, latest })
        if (end) add(wallet, { of: name, change: ask.price, ...end })
      }
    }
  }
  const booked = bookedIn(history)
  for (const { name, wallet, attempts, uses } of bookingsOf(history)) {
    for (const body of new Set(uses.map((use) => use.body))) {
      const ask = attempts.find((attempt) => bodyOf(attempt.ask) === body)?.ask
      const told = uses.some((use) => use.body === body && use.answer !== undefined)
      if (!ask || (!told && !booked.has(`${wallet} ${body}`))) continue
      const { from, to } = winOf(uses, body, latest)
      add(wallet, { of: name, change: ask.kind === 'credit' ? ask.amount : -ask.amount, from, to })
    }
  }
  return effects
}

/** When the hold of a message was released, if it was. */
function endOf(
  told: readonly Sighting[],
  { from, latest }: { from: number; latest: number },
): { from: number; to: number } | undefined {
  const shown = told.filter(({ state }) => state !== 'not_found')
  const ends = shown.filter(({ state }) => rankOf(state) === 2)
  const [end] = ends
  if (!end || end.state === 'success') return undefined
  // A refused cancellation does not tell whether the message has ended.
  const before = shown.filter(({ state }) => state !== 'sent' && rankOf(state) < 2)
  return {
    from: Math.max(from, ...before.map(({ began }) => began)),
    to: Math.min(latest, ...ends.map(({ ended }) => ended)),
  }
}

function ticketsByMark(sightings: ReadonlyMap<string, readonly Sighting[]>): Map<string, string[]> {
  const byMark = new Map<string, string[]>()
  for (const [ticket, told] of sightings) {
    const mark = told.find(({ seen }) => seen)?.seen?.mark
    if (mark !== undefined) byMark.set(mark, [...(byMark.get(mark) ?? []), ticket])
  }
  return byMark
}

/** The bookings that the ledgers show. No two are of the same amount. */
function bookedIn({ operations }: History): Set<string> {
  const booked = new Set<string>()
  for (const { wallet, kind, outcome } of operations) {
    if (kind !== 'ledger' || outcome.is !== 'ok') continue
    for (const entry of outcome.value)
      if (entry.ticket === undefined)
        booked.add(`${wallet} ${entry.kind === 'credit' ? 'credit' : 'debit'} ${entry.amount}`)
  }
  return booked
}
