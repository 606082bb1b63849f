import type { AccountSecrets } from '../../../src/accounts/operator.ts'
import { type Answer, BALANCE, BULK, call, SINGLE } from '../../support/front.ts'
import type { Intent } from './choose.ts'
import type { Entry, Operation, Outcome, Seen, SendAnswer, SendAsk } from './history.ts'

/** Who asks whom, and when: the rest of an operation is what was asked and what was answered. */
export interface Asking {
  url: string
  account: AccountSecrets
  /** Ends the record of an operation: at the time at which its outcome is known. */
  record(): Pick<Operation, 'id' | 'client' | 'gateway' | 'wallet' | 'began' | 'ended'>
}

/** A gateway that is stopped holds a client up no longer than this. */
const PATIENCE_MS = 3_000
const SCHEDULED = '/v1/messages/sms/scheduled'
const LEDGER = '/v1/account/ledger'
const MESSAGES = '/v1/messages'

/** Asks a gateway over HTTP, and records what it answered, if anything. */
export async function askGateway({ url, account, record }: Asking, intent: Intent): Promise<Operation> {
  const request = (path: string, more: { body?: object; key?: string; method?: string } = {}) =>
    outcomeOf(call(url, account, { path, timeoutMs: PATIENCE_MS, ...more }))
  switch (intent.kind) {
    case 'send': {
      const { ask } = intent
      const sent = await request(PATHS[ask.operation], {
        body: bodyOf(ask),
        ...(ask.key === undefined ? {} : { key: ask.key }),
      })
      return { ...record(), kind: 'send', ask, outcome: mapped(sent, sendAnswer) }
    }
    case 'cancel': {
      const { ask } = intent
      const cancelled = await request(`${SCHEDULED}/${ask.ticket}`, { method: 'DELETE' })
      return {
        ...record(),
        kind: 'cancel',
        ask,
        outcome: mapped(cancelled, ({ text }) => seenOf(JSON.parse(text))),
      }
    }
    case 'status': {
      const { ask } = intent
      const shown = await request(`/v1/transactions/${ask.ticket}/status`)
      return {
        ...record(),
        kind: 'status',
        ask,
        outcome: mapped(shown, ({ text }) => seenOf(JSON.parse(text))),
      }
    }
    case 'balance': {
      const shown = await request(BALANCE)
      const balanceOf = ({ text }: Answer) => ({ balance: toMicros(JSON.parse(text).balance) })
      return { ...record(), kind: 'balance', ask: {}, outcome: mapped(shown, balanceOf) }
    }
    case 'search': {
      const { ask } = intent
      const filter = ask.mark === undefined ? '' : `&Reference=${ask.mark}`
      const outcome = await pages(`${MESSAGES}?Limit=${ask.whole ? 200 : 50}${filter}`, ask.whole, request)
      return { ...record(), kind: 'search', ask, outcome: mapped(outcome, (items) => items.map(seenOf)) }
    }
    case 'ledger': {
      const { whole } = intent
      const outcome = await pages(`${LEDGER}?Limit=${whole ? 200 : 30}`, whole, request)
      return {
        ...record(),
        kind: 'ledger',
        ask: { whole },
        outcome: mapped(outcome, (items) => items.map(entryOf)),
      }
    }
  }
}

const PATHS = { sendSms: SINGLE, sendBulkSms: BULK, scheduleSms: SCHEDULED } as const

function bodyOf({ operation, mark, to, segments, due }: SendAsk): object {
  const text = { From: 'WIGWAG', Content: contentOf(mark, segments) }
  if (operation === 'sendBulkSms') return { ...text, Recipients: to.map((To) => ({ To, Reference: mark })) }
  return { ...text, To: to[0], Reference: mark, ...(due && { SendAt: due.SendAt }) }
}

/** Each part of it has a whole mark. */
function contentOf(mark: string, segments: number): string {
  return `<${mark}>`.repeat(100).slice(0, segments === 1 ? 60 : 250)
}

/** The mark of a message, in any of its parts. */
export function markIn(text: string): string {
  return /<([^<>]+)>/.exec(text)?.[1] ?? ''
}

async function outcomeOf(asked: Promise<Answer>): Promise<Outcome<Answer>> {
  try {
    const answer = await asked
    if (answer.status === 200) return { is: 'ok', value: answer }
    const { code } = JSON.parse(answer.text)
    return answer.status >= 500 ? { is: 'unknown', why: `${answer.status} ${code}` } : { is: 'failed', code }
  } catch (error) {
    if (isRefused(error)) return { is: 'failed', code: 'unreached' }
    return { is: 'unknown', why: String(error) }
  }
}

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && Reflect.get(cause, 'code') === 'ECONNREFUSED'
}

function mapped<From, To>(outcome: Outcome<From>, map: (value: From) => To): Outcome<To> {
  return outcome.is === 'ok' ? { is: 'ok', value: map(outcome.value) } : outcome
}

/** The items of one page, or of all. */
async function pages(
  path: string,
  all: boolean,
  request: (path: string) => Promise<Outcome<Answer>>,
): Promise<Outcome<unknown[]>> {
  const items: unknown[] = []
  for (let cursor = ''; ; ) {
    const page = await request(cursor === '' ? path : `${path}&Cursor=${encodeURIComponent(cursor)}`)
    if (page.is !== 'ok') return page
    const { Items, NextCursor } = JSON.parse(page.value.text)
    items.push(...Items)
    if (!all || NextCursor === undefined) return { is: 'ok', value: items }
    cursor = NextCursor
  }
}

function sendAnswer({ text, headers }: Answer): SendAnswer {
  const results: { Ticket: string }[] = [JSON.parse(text)].flat()
  return {
    tickets: results.map(({ Ticket }) => Ticket),
    text,
    replayed: headers.get('idempotent-replayed') === 'true',
  }
}

function seenOf(item: unknown): Seen {
  const fields = fieldsOf(item)
  return {
    ticket: String(fields('MessageId')),
    mark: String(fields('Reference')),
    status: String(fields('Status')),
    cost: toMicros(fields('Cost')),
    before: toMicros(fields('BalanceBefore')),
    after: toMicros(fields('BalanceAfter')),
  }
}

function entryOf(item: unknown): Entry {
  const fields = fieldsOf(item)
  const ticket = fields('Ticket')
  return {
    seq: Number(fields('Seq')),
    kind: String(fields('Kind')),
    amount: toMicros(fields('Amount')),
    before: toMicros(fields('BalanceBefore')),
    after: toMicros(fields('BalanceAfter')),
    ...(ticket === undefined ? {} : { ticket: String(ticket) }),
  }
}

function fieldsOf(item: unknown): (name: string) => unknown {
  if (typeof item !== 'object' || item === null) throw new Error(`expected an item, got ${item}`)
  return (name) => Reflect.get(item, name)
}

function toMicros(decimal: unknown): number {
  return Math.round(Number(decimal) * 1e6)
}
