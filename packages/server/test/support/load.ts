import { randomUUID } from 'node:crypto'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { type Answer, BULK, call, SINGLE } from './front.ts'
import { chaos, type Random } from './random.ts'

export interface LoadResult {
  /** The ticket of each message that a client was told of. */
  acknowledged: string[]
  requests: number
  /** How often each status was answered; `none` when no answer came. */
  statuses: Record<string, number>
}

export interface LoadOptions {
  /** Where the gateway is just now; one of several is taken at random. */
  urls(): readonly string[]
  accounts: readonly AccountSecrets[]
  clients: number
  /** Keeps the keys of one load apart from those of others. */
  prefix: string
  callbackUrl?: string
  /** The text of each request, and the recipient of each message, where that matters. */
  content?(): string
  recipient?(): string
  /** How long a client rests after each request. */
  restMs?: number
  /** The most recipients of a bulk. */
  mostRecipients?: number
  /** Called with each answer, undefined when none came, and when it was asked for, of `performance.now()`. */
  onAnswer?(answer: Answer | undefined, askedAt: number): void
}

export interface Load {
  /** The tickets that clients have been told of until now. More are added while it runs. */
  acknowledged: readonly string[]
  stop(): Promise<LoadResult>
}

interface Ask {
  path: string
  body: object
  key?: string
}

/** By the last digits of a recipient the simulator delivers it or fails it in one way or another. */
const ENDINGS = ['00001', '00002', '00003', '00004', '00006']

/**
 * Clients that send singles, bulks and repeats, one request after the other, until they are stopped. A request
 * with a key is sent until it is answered, as a careful client does; one without a key is sent once.
 */
export function runLoad(options: LoadOptions): Load {
  const random = chaos()
  const { content = () => 'Hello', restMs = 0, mostRecipients = 39 } = options
  const recipient = options.recipient ?? (() => anyRecipient(random))
  const result: LoadResult = { acknowledged: [], requests: 0, statuses: {} }
  let running = true

  async function client(number: number): Promise<void> {
    let last: { account: AccountSecrets; ask: Ask; text: string } | undefined
    for (let round = 0; running; round++) {
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
      if (last && random.chance(10)) {
        const again = await answered(last.account, last.ask)
        if (again.text !== last.text) throw new Error(`a repeat got ${again.text} after ${last.text}`)
        continue
      }
      const account = random.pick(options.accounts)
      const ask = makeAsk(account, number, round)
      const answer = ask.key === undefined ? await once(account, ask) : await answered(account, ask)
      if (answer?.status !== 200) continue
      result.acknowledged.push(...ticketsOf(answer.text))
      if (ask.key !== undefined) last = { account, ask, text: answer.text }
    }
  }

  /** Each message carries its client's id as its reference, so that a receiver knows whose it is. */
  function makeAsk({ clientId }: AccountSecrets, number: number, round: number): Ask {
    const callback = options.callbackUrl === undefined ? {} : { CallbackUrl: options.callbackUrl }
    const kind = random.from(0, 10)
    const keyed = options.callbackUrl !== undefined || kind % 2 === 0
    const key = keyed ? { key: `${options.prefix}-${number}-${round}-${randomUUID()}` } : {}
    const text = { From: 'WIGWAG', Content: content(), ...callback }
    if (kind > 1) return { path: SINGLE, body: { ...text, To: recipient(), Reference: clientId }, ...key }
    const Recipients = Array.from({ length: random.from(1, mostRecipients + 1) }, () => ({
      To: recipient(),
      Reference: clientId,
    }))
    return { path: BULK, body: { ...text, Recipients }, ...key }
  }

  async function once(account: AccountSecrets, ask: Ask): Promise<Answer | undefined> {
    result.requests++
    const askedAt = performance.now()
    const answer = await call(random.pick(options.urls()), account, ask).catch(() => undefined)
    options.onAnswer?.(answer, askedAt)
    const status = String(answer?.status ?? 'none')
    result.statuses[status] = (result.statuses[status] ?? 0) + 1
    return answer
  }

  function answered(account: AccountSecrets, ask: Ask): Promise<Answer> {
    return untilAnswered(() => once(account, ask))
  }

  const clients = Array.from({ length: options.clients }, (_, number) => client(number))
  // A client that failed is seen when the load is stopped.
  for (const each of clients) each.catch(() => undefined)
  return {
    acknowledged: result.acknowledged,
    async stop() {
      running = false
      await Promise.all(clients)
      return result
    },
  }
}

/** Repeats a request until the answer is one that will not change. */
export async function untilAnswered(send: () => Promise<Answer | undefined>): Promise<Answer> {
  for (;;) {
    const answer = await send()
    if (answer && answer.status !== 503 && answer.status !== 409) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The tickets in the answer to a single or a bulk. */
export function ticketsOf(text: string): string[] {
  const parsed: { Ticket: string } | { Ticket: string }[] = JSON.parse(text)
  return [parsed].flat().map(({ Ticket }) => Ticket)
}

function anyRecipient(random: Random): string {
  if (random.chance(25)) return `2332412${random.pick(ENDINGS)}`
  return `23324${random.from(1_000_000, 9_000_000)}`.replace(/0000[0-9]$/, '12345')
}
