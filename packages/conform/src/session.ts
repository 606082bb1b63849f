import { type Clock, pauseBy, span } from '@wigwag/contract'
import { arrayIn, isFound, needed, objectIn, textIn } from './answers.ts'
import { type Caller, isSuccess, type Request } from './caller.ts'
import { type Visited, Wrong } from './connector-check/visit.ts'
import type { Documents } from './documents.ts'
import type { McpUnderTest } from './mcp-under-test.ts'
import { NotTried } from './not-tried.ts'
import { createPurse } from './purse.ts'
import type { ReceivedCallback, Receiver } from './receiver.ts'
import { type Found, shown } from './shape.ts'

export interface SessionOptions {
  caller: Caller
  /** Undefined when the server can't reach this machine. */
  receiver: Receiver | undefined
  /** The secret that callbacks are signed with, if it is known. */
  callbackSecret: string | undefined
  mcp: McpUnderTest
  documents: Documents
  from: string
  to: readonly string[]
  /** Makes references unique. */
  run: string
  /** A ticket that no server has given out. */
  unknownTicket: string
  spend: number
  /** How long a message may take to become final, and a callback to come after that. */
  waitMs: number
  clock: Clock
  stopped: AbortSignal
}

export type SingleSend = 'single' | 'shortest' | 'alias'
export type BulkSend = 'bulk' | 'bulk-alias'

/** Requests to the server. Each is made once, and all checks share its answer. */
export interface Session extends Omit<SessionOptions, 'receiver' | 'waitMs' | 'clock' | 'spend' | 'stopped'> {
  balance(): Promise<Visited>
  /** A send, and its request. */
  sent(name: SingleSend | BulkSend): Promise<{ body: Found; answer: Visited }>
  /** The result of a send that was accepted. */
  result(name: SingleSend): Promise<Found>
  results(name: BulkSend): Promise<Found[]>
  /** Tries a send that must be refused. It counts as a message if it is not. */
  refused(request: Request, kind?: 'single' | 'bulk'): Promise<Visited>
  /** Makes a send that counts as up to this many messages. */
  spend<T>(messages: number, request: () => Promise<T>, accepted: (answer: T) => number): Promise<T>
  /** A body that would be accepted, with the reference. */
  body(kind: 'single' | 'bulk', reference: string): Found
  /** The first answer for a ticket without the wallet header. */
  status(): Promise<Visited>
  /** The record of a send's first message when it is final, or as it is at the end of the wait. */
  record(name: SingleSend | BulkSend): Promise<Found>
  /** The callbacks of a send, `count` different ones. */
  callbacks(name: SingleSend | BulkSend, count: number): Promise<readonly ReceivedCallback[]>
  taken(): number
}

const POLL_MS = 200
const SINGLE = { single: 'CallbackUrl', shortest: undefined, alias: 'callbackUrl' } as const
const BULK = { bulk: 'CallbackUrl', 'bulk-alias': 'callbackUrl' } as const
const isBulk = (name: SingleSend | BulkSend): name is BulkSend => name in BULK

export function createSession(options: SessionOptions): Session {
  const { caller, receiver, from, to, run, waitMs, clock, stopped } = options
  const once = createOnce()
  const purse = createPurse(options.spend, () => once('price', findPrice))
  const balance = () => once('balance', () => caller.call('getBalance'))

  function body(kind: 'single' | 'bulk', reference: string): Found {
    const common = { From: from, Content: `Test of the SMS gateway, ${reference}` }
    const [first = '', second = first] = to
    const recipients = [first, second].map((To, index) => ({ To, Reference: `${reference}-${index + 1}` }))
    return kind === 'single'
      ? { ...common, To: first, Reference: reference }
      : { ...common, Recipients: recipients }
  }

  function bodyFor(name: SingleSend | BulkSend): Found {
    const key = isBulk(name) ? BULK[name] : SINGLE[name]
    const callback = key !== undefined && receiver ? { [key]: receiver.urlFor(name) } : {}
    if (name === 'bulk-alias') {
      const { Recipients, ...rest } = body('bulk', `${run}-${name}`)
      return { ...rest, Recipients: Array.isArray(Recipients) ? Recipients.slice(0, 1) : [], ...callback }
    }
    const { Reference, ...rest } = body(isBulk(name) ? 'bulk' : 'single', `${run}-${name}`)
    return name === 'shortest'
      ? rest
      : { ...rest, ...(Reference !== undefined && { Reference }), ...callback }
  }

  const sent: Session['sent'] = (name) =>
    once(`sent ${name}`, async () => {
      const made = bodyFor(name)
      const operation = isBulk(name) ? 'sendBulkSms' : 'sendSms'
      const answer = await spend(messagesIn(made), () => caller.call(operation, { body: made }))
      return { body: made, answer }
    })

  let firstTaken: Visited | undefined

  function spend(messages: number, request: () => Promise<Visited>): Promise<Visited> {
    return purse.spend(messages, request, (answer) => {
      if (!isSuccess(answer)) return 0
      firstTaken ??= answer
      return messages
    })
  }

  const result: Session['result'] = (name) =>
    neededFrom(
      name,
      sent(name).then(({ answer }) => objectIn(answer)),
    )

  const results: Session['results'] = (name) =>
    neededFrom(
      name,
      sent(name).then(({ answer }) => arrayIn(answer)),
    )

  const ticketOf = async (name: SingleSend | BulkSend) => {
    const found = isBulk(name) ? (await results(name))[0] : await result(name)
    return textIn(found ?? {}, 'Ticket', isBulk(name) ? 'bulk' : 'single')
  }

  /** Repeats the request with the wallet where the server requires it; another check reports that. */
  async function read(ticket: string): Promise<Found> {
    const answer = await caller.call('getTransactionStatus', { ticket })
    return objectIn(
      isSuccess(answer) ? answer : await caller.call('getTransactionStatus', { ticket, wallet: 'right' }),
    )
  }

  /** Reads until the message is final, or the wait is over. */
  const finalRecord = (ticket: string) =>
    once(`settled ${ticket}`, async () => {
      const end = clock.elapsed() + waitMs
      for (;;) {
        const record = await read(ticket)
        if (record.Status !== 'pending' || clock.elapsed() > end) return record
        await pause()
      }
    })

  const pause = () => pauseBy(clock, Math.min(POLL_MS, waitMs / 10), stopped)

  async function findPrice(): Promise<number | undefined> {
    const before = amountIn(await balance())
    const after = amountIn(await caller.call('getBalance'))
    if (before !== undefined && after !== undefined && after < before) return before - after
    const { json } = firstTaken ?? {}
    if (!isFound(json) || typeof json.Ticket !== 'string') return undefined
    const record = await finalRecord(json.Ticket).catch(() => undefined)
    if (!record || record.Status === 'pending') return undefined
    const { BalanceBefore, BalanceAfter, Cost } = record
    if (typeof BalanceBefore === 'number' && typeof BalanceAfter === 'number' && BalanceBefore > BalanceAfter)
      return BalanceBefore - BalanceAfter
    return typeof Cost === 'number' && Cost >= 0 ? Cost : undefined
  }

  async function waitForCallbacks(name: SingleSend | BulkSend, count: number) {
    if (!receiver) throw new NotTried('the server has no address for callbacks: --callback-url gives one')
    const record = await needed(finalRecord(await ticketOf(name)), 'status.answers')
    const end = clock.elapsed() + waitMs
    for (;;) {
      const received = receiver.received(name)
      if (differing(received) >= count) return received
      if (record.Status === 'pending')
        throw new NotTried(`the message is still pending after ${span(waitMs)}`)
      if (clock.elapsed() > end) break
      await pause()
    }
    const number = differing(receiver.received(name))
    throw new Wrong(
      `${number === 0 ? 'none' : number} came within ${span(waitMs)}; the message is ${shown(record.Status)}`,
    )
  }

  return {
    ...options,
    balance,
    body,
    sent,
    result,
    results,
    refused: (request, kind = 'single') =>
      spend(messagesIn(request.body), () =>
        caller.call(kind === 'single' ? 'sendSms' : 'sendBulkSms', request),
      ),
    spend: purse.spend,
    status: () =>
      once('status', async () => caller.call('getTransactionStatus', { ticket: await ticketOf('single') })),
    record: async (name) => finalRecord(await ticketOf(name)),
    callbacks: (name, count) => once(`callbacks ${name}`, () => waitForCallbacks(name, count)),
    taken: purse.taken,
  }
}

/** The checks of these sends. The check of its callback covers a send with the alias that is refused. */
const CHECK_OF: Readonly<Record<string, string>> = {
  single: 'single.accepted',
  shortest: 'single.shortest',
  bulk: 'bulk.accepted',
}

function neededFrom<T>(name: SingleSend | BulkSend, work: Promise<T>): Promise<T> {
  const check = CHECK_OF[name]
  return check === undefined ? work : needed(work, check)
}

/** Does each piece of work once, and remembers its error too. */
function createOnce() {
  const done = new Map<string, Promise<unknown>>()
  return function once<T>(key: string, work: () => Promise<T>): Promise<T> {
    const found = done.get(key) as Promise<T> | undefined
    if (found) return found
    const doing = work()
    done.set(key, doing)
    return doing
  }
}

function messagesIn(body: unknown): number {
  const recipients = isFound(body) ? body.Recipients : undefined
  return Array.isArray(recipients) ? recipients.length : 1
}

function amountIn({ json }: Visited): number | undefined {
  return isFound(json) && typeof json.balance === 'number' ? json.balance : undefined
}

/** How many different ones: a callback may come more than once. */
function differing(received: readonly ReceivedCallback[]): number {
  return new Set(received.map(({ body }) => body.toString('latin1'))).size
}
