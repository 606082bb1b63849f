import { answerOf, type BalanceRead, type Entry, type History, isKind, type LedgerRead } from '../history.ts'
import { bookingsOf, sendsOf } from './requests.ts'
import type { Rule, Violation } from './violation.ts'

const rule: Rule = 'ledger'

/**
 * A ledger only grows at its end, and in the end it accounts for everything: what was put in is what is there and what
 * was charged, each delivered message is charged once, and nothing else is.
 */
export function checkLedgers(history: History): Violation[] {
  return history.wallets.flatMap(({ name, opening }) => {
    const reads = history.operations.filter(isKind('ledger')).filter(({ wallet }) => wallet === name)
    return [...growthTroubles(reads), ...endTroubles(history, { name, opening })].map(
      ({ what, operations }): Violation => ({ rule, what: `${name}: ${what}`, operations }),
    )
  })
}

type Trouble = Omit<Violation, 'rule'>

/** All reads show one chain, and a later one never a shorter. */
function growthTroubles(reads: readonly LedgerRead[]): Trouble[] {
  const troubles: Trouble[] = []
  const known = new Map<number, { entry: string; id: number }>()
  const newest: { seq: number; ended: number; id: number }[] = []
  for (const read of [...reads].sort((a, b) => a.began - b.began)) {
    const entries = answerOf(read)
    if (!entries) continue
    const { id, began, ended } = read
    entries.forEach((entry, index) => {
      const wrong = chainTrouble(entry, entries[index + 1])
      if (wrong) troubles.push({ what: wrong, operations: [id] })
      const text = JSON.stringify(entry)
      const earlier = known.get(entry.seq)
      if (earlier && earlier.entry !== text)
        troubles.push({
          what: `entry ${entry.seq} was ${earlier.entry}, then ${text}`,
          operations: [earlier.id, id],
        })
      known.set(entry.seq, { entry: text, id })
    })
    const seq = entries[0]?.seq ?? 0
    const longer = newest.find((each) => each.ended < began && each.seq > seq)
    if (longer)
      troubles.push({
        what: `the ledger had ${longer.seq} entries, then ${seq}`,
        operations: [longer.id, id],
      })
    newest.push({ seq, ended, id })
  }
  return troubles
}

function chainTrouble({ seq, kind, amount, before, after }: Entry, older?: Entry): string | undefined {
  if (after !== before + (kind === 'credit' ? amount : -amount) || after < 0)
    return `entry ${seq}, a ${kind} of ${amount}, leads from ${before} to ${after}`
  if (older && (older.seq !== seq - 1 || older.after !== before))
    return `entry ${seq} begins at ${before}, after entry ${older.seq} ended at ${older.after}`
  return undefined
}

function endTroubles(history: History, { name, opening }: { name: string; opening: number }): Trouble[] {
  const atEnd = history.operations.filter(
    ({ wallet, began }) => wallet === name && began >= history.quietFrom,
  )
  const ledger = atEnd.filter(isKind('ledger')).find(({ ask }) => ask.whole)
  const listing = atEnd.filter(isKind('search')).find(({ ask }) => ask.whole)
  const balance = atEnd.find(isKind('balance'))
  const entries = ledger && answerOf(ledger)
  const messages = listing && answerOf(listing)
  if (!ledger || !listing || !entries || !messages || !balance)
    return [{ what: 'the ledger, the messages or the balance were not read in the end', operations: [] }]
  const operations = [ledger.id, listing.id]
  const troubles: Trouble[] = balanceTroubles(entries, ledger, balance)
  const ownEntry = (entry: Entry) => entry.ticket === undefined
  const charges = Map.groupBy(
    entries.filter(({ ticket }) => ticket !== undefined),
    ({ ticket }) => ticket,
  )
  const delivered = new Map(
    messages.filter(({ status }) => status === 'success').map((seen) => [seen.ticket, seen]),
  )
  for (const [ticket = '', [charge, ...others]] of charges) {
    const seen = delivered.get(ticket)
    if (others.length > 0)
      troubles.push({ what: `${ticket} was charged ${others.length + 1} times`, operations })
    if (!seen) troubles.push({ what: `${ticket} was charged, and not delivered`, operations })
    else if (charge?.before !== seen.before || charge.after !== seen.after || charge.amount !== seen.cost)
      troubles.push({ what: `${ticket} cost ${seen.cost}, and its charge is another`, operations })
  }
  for (const ticket of delivered.keys())
    if (!charges.has(ticket)) troubles.push({ what: `${ticket} was delivered, and not charged`, operations })
  const prices = pricesOf(history)
  for (const { ticket, mark, cost } of delivered.values())
    if (cost !== prices.get(mark)) troubles.push({ what: `${ticket} cost ${cost}`, operations })
  return [
    ...troubles,
    ...bookingTroubles(history, { name, opening, entries: entries.filter(ownEntry), ledger }),
  ]
}

/** When nothing is held, what can be spent is what the ledger ends at. */
function balanceTroubles(entries: readonly Entry[], ledger: LedgerRead, balance: BalanceRead): Trouble[] {
  const has = answerOf(balance)?.balance
  const last = entries[0]?.after ?? 0
  if (has === last) return []
  return [
    {
      what: `the balance is ${has} in the end, and the ledger's ${last}`,
      operations: [balance.id, ledger.id],
    },
  ]
}

/** Each booking that was acknowledged is there once, and no other but those whose answer was lost. */
function bookingTroubles(
  history: History,
  {
    name,
    opening,
    entries,
    ledger,
  }: { name: string; opening: number; entries: readonly Entry[]; ledger: LedgerRead },
): Trouble[] {
  const counts = new Map<string, number>([[`credit ${opening}`, -1]])
  for (const { kind, amount } of entries) {
    const body = `${kind === 'credit' ? 'credit' : 'debit'} ${amount}`
    counts.set(body, (counts.get(body) ?? 0) + 1)
  }
  const troubles: Trouble[] = []
  for (const { wallet, uses } of bookingsOf(history)) {
    if (wallet !== name) continue
    for (const body of new Set(uses.map((use) => use.body))) {
      const same = uses.filter((use) => use.body === body)
      const count = counts.get(body) ?? 0
      counts.delete(body)
      const made = same.some(({ answer }) => answer !== undefined)
      const mayBe = made || same.some(({ result }) => result === 'unknown')
      if (count < (made ? 1 : 0) || count > (mayBe ? 1 : 0))
        troubles.push({
          what: `the ${body} is there ${count} times`,
          operations: [...same.map(({ id }) => id), ledger.id],
        })
    }
  }
  for (const [body, count] of counts)
    if (count !== 0)
      troubles.push({ what: `a ${body} is there and was not asked for`, operations: [ledger.id] })
  return troubles
}

function pricesOf(history: History): Map<string, number> {
  return new Map(
    sendsOf(history).flatMap(({ attempts }) => attempts.map(({ ask }) => [ask.mark, ask.price] as const)),
  )
}
