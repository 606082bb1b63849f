import { answerOf, type Book, codeOf, type History, isKind, type Send } from '../history.ts'
import type { Use } from './first-wins.ts'

/** All attempts at one request: those with the same key, or a single one without. */
export interface Request<Attempt> {
  name: string
  wallet: string
  attempts: readonly Attempt[]
  uses: readonly Use[]
}

/** The sends, by the scope of their key: wallet, operation and key. */
export function sendsOf({ operations }: History): Request<Send>[] {
  const sends = operations.filter(isKind('send')).filter((send) => codeOf(send) !== 'unreached')
  const nameOf = ({ id, wallet, ask }: Send) =>
    ask.key === undefined ? `the send ${id}` : `${wallet} ${ask.operation} ${ask.key}`
  return requestsOf(sends, nameOf, useOfSend)
}

/** The operator's bookings, by wallet and reference. */
export function bookingsOf({ operations }: History): Request<Book>[] {
  const nameOf = ({ wallet, ask }: Book) => `${wallet} ${ask.reference}`
  return requestsOf(operations.filter(isKind('book')), nameOf, useOfBooking)
}

/** The kind and amount of a booking, which are its body. */
export function bodyOf({ kind, amount }: Book['ask']): string {
  return `${kind} ${amount}`
}

function requestsOf<Attempt extends Send | Book>(
  attempts: readonly Attempt[],
  nameOf: (attempt: Attempt) => string,
  useOf: (attempt: Attempt) => Use,
): Request<Attempt>[] {
  const byName = Map.groupBy(attempts, nameOf)
  return [...byName].map(([name, group]) => ({
    name,
    wallet: group[0]?.wallet ?? '',
    attempts: group,
    uses: group.map(useOf),
  }))
}

const RESULTS: Readonly<Record<string, Use['result']>> = {
  idempotency_key_reused: 'conflict',
  idempotency_in_progress: 'busy',
  other: 'conflict',
}

function useOfSend(send: Send): Use {
  const { id, began, ended, ask } = send
  const answer = answerOf(send)
  const use = { id, began, ended, body: ask.mark }
  if (answer) return { ...use, result: answer.replayed ? 'repeated' : 'made', answer: answer.text }
  return { ...use, result: resultOf(send) }
}

function useOfBooking(booking: Book): Use {
  const { id, began, ended, ask } = booking
  const answer = answerOf(booking)
  const use = { id, began, ended, body: bodyOf(ask) }
  if (answer) return { ...use, result: answer.repeated ? 'repeated' : 'made', answer: '' }
  return { ...use, result: resultOf(booking) }
}

function resultOf(attempt: Send | Book): Use['result'] {
  const code = codeOf(attempt)
  return code === undefined ? 'unknown' : (RESULTS[code] ?? 'refused')
}
