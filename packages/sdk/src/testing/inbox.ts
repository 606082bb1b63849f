import { AbortedError, type Client, type FoundMessage, type MessageFilter } from '@wigwag/sdk'
import { checkNumber, shown } from '../check.ts'
import { codeIn } from './code-in-text.ts'

/**
 * Where an account's messages ended at some moment, as an opaque text that can be stored. It is no time, because a
 * sandbox's clock may be ahead of yours. The ticket of a message is one too: messages after that one.
 * @example
 * import { createFakeClient, type MessageCursor, openInbox } from '@wigwag/sdk/testing'
 * const sms = createFakeClient()
 * const inbox = await openInbox(sms)
 * const before: MessageCursor = await inbox.now()
 * await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Your code is 82913' })
 * console.log((await inbox.waitForMessage({ to: '233201234567', after: before })).code)
 */
export type MessageCursor = string

/**
 * Which message to wait for.
 * @example
 * import { createFakeClient, openInbox, type WaitForMessage } from '@wigwag/sdk/testing'
 * const sms = createFakeClient()
 * const inbox = await openInbox(sms)
 * await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Voucher AB12CD' })
 * const voucher: WaitForMessage = { to: '+233 20 123 4567', match: /Voucher (\w+)/ }
 * console.log((await inbox.waitForMessage(voucher)).code)
 */
export interface WaitForMessage {
  /** The recipient's number, written as for a send. */
  to: string
  /** A text that the message has in it, or a pattern that it matches. Without it, any message to the number will do. */
  match?: string | RegExp | undefined
  /** Only messages that were accepted after this; without it, after the inbox was opened. */
  after?: MessageCursor | undefined
  /**
   * Milliseconds of real time to wait; 4,000 by default, which is less than the 5 seconds after which test runners end a
   * test.
   */
  timeout?: number | undefined
  /** Aborts the wait, which rejects with an `AbortedError`. */
  signal?: AbortSignal | undefined
}

/**
 * A message that was waited for.
 * @example
 * import { createFakeClient, openInbox, type ReceivedMessage } from '@wigwag/sdk/testing'
 * const sms = createFakeClient()
 * const inbox = await openInbox(sms)
 * await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Your code is 829-130' })
 * const { text, code }: ReceivedMessage = await inbox.waitForMessage({ to: '233201234567' })
 * console.log(text, code)
 */
export interface ReceivedMessage {
  ticket: string
  from: string
  to: string
  text: string
  /**
   * The first group of `match`. Where it has none, the code in what it matched, or else in the whole text: the number of
   * 4 to 8 digits that stands alone, or of several the one that the text calls a code, PIN, OTP or password. `829-130` is
   * given as `829130`. Undefined where there is none, or where it can't be told which.
   */
  code: string | undefined
  /** The match of a pattern, with its groups. */
  match: RegExpExecArray | undefined
  /** The message as `searchMessages` gives it. */
  message: FoundMessage
}

/**
 * The messages that an account sends, for tests that play their recipients. Each message is given once, and messages to
 * one number in the order in which they were accepted. If it did not match, it stays for a later wait. A scheduled message
 * is given when it goes out.
 * @example
 * import { createFakeClient, type Inbox, openInbox } from '@wigwag/sdk/testing'
 * const sms = createFakeClient()
 * const inbox: Inbox = await openInbox(sms)
 * await sms.sendSms({ From: 'ACME', To: '233201234567', Content: '1111 is your code' })
 * await sms.sendSms({ From: 'ACME', To: '233201234567', Content: '2222 is your code' })
 * const first = await inbox.waitForMessage({ to: '233201234567' })
 * const second = await inbox.waitForMessage({ to: '233201234567' })
 * console.log(first.code, second.code)
 */
export interface Inbox {
  /** Where the messages end at this moment. */
  now(): Promise<MessageCursor>
  /** Waits for a message, and rejects with a `MessageTimeoutError` when none comes in time. */
  waitForMessage(wanted: WaitForMessage): Promise<ReceivedMessage>
}

/**
 * The message that was waited for did not come in time. The error says what came instead.
 * @example
 * import { createFakeClient, MessageTimeoutError, openInbox } from '@wigwag/sdk/testing'
 * const inbox = await openInbox(createFakeClient())
 * const wait = inbox.waitForMessage({ to: '233201234567', timeout: 20 })
 * await wait.catch((error) => console.log(error instanceof MessageTimeoutError, error.message))
 */
export class MessageTimeoutError extends Error {
  override name = 'MessageTimeoutError'
}

/**
 * Opens an inbox for a test. It begins after the messages that there are, so open it before your program sends; or after
 * the cursor that you pass. It works with any gateway: one in memory, one that runs, or the fake client.
 * @example
 * import { createFakeClient, openInbox } from '@wigwag/sdk/testing'
 * const sms = createFakeClient()
 * const inbox = await openInbox(sms)
 * await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Your code is 82913' })
 * const { code } = await inbox.waitForMessage({ to: '233201234567' })
 * console.log(code)
 */
export async function openInbox(
  client: Pick<Client, 'searchMessages'>,
  after?: MessageCursor,
): Promise<Inbox> {
  checkCursor(after)
  return new ClientInbox(client, after ?? (await endOf(client)))
}

/** Before any ticket. */
const BEGINNING = '00000000-0000-0000-0000-000000000000'
const CURSOR = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 500
/** How long a look may take, also the last one, which begins when the time is over. A busy gateway is no missing message. */
const LEAST_LOOK_MS = 10_000
/** How many messages an error shows, and how much of each text. */
const SHOWN = 5
const SHOWN_LENGTH = 80

/** Of when this file was loaded: a test may have put false timers in their place since. */
const { setTimeout, clearTimeout } = globalThis
const now = performance.now.bind(performance)

class ClientInbox implements Inbox {
  readonly #client: Pick<Client, 'searchMessages'>
  readonly #opened: MessageCursor
  /** Tickets of what was given. A position would not do: a message may be seen before one that has an earlier ticket. */
  readonly #given = new Set<string>()

  constructor(client: Pick<Client, 'searchMessages'>, opened: MessageCursor) {
    this.#client = client
    this.#opened = opened
  }

  readonly now = (): Promise<MessageCursor> => endOf(this.#client)

  readonly waitForMessage = async (wanted: WaitForMessage): Promise<ReceivedMessage> => {
    checkWanted(wanted)
    const { timeout = 4_000, signal } = wanted
    const after = (wanted.after ?? this.#opened).toLowerCase()
    const end = now() + timeout
    for (let attempts = 1, pause = FIRST_PAUSE_MS; ; attempts++) {
      const deadline = Math.max(end - now(), LEAST_LOOK_MS)
      const messages = await messagesSince(this.#client, after, wanted.to, { signal, deadline })
      const received = this.#firstOf(messages, wanted)
      if (received) return received
      const left = end - now()
      if (left <= 0) throw await this.#late(wanted, timeout, after)
      await sleep(Math.min(pause, left), signal)
      if (signal?.aborted) {
        const facts = { operation: 'searchMessages', idempotencyKey: undefined, uncertain: false } as const
        throw new AbortedError('aborted by your signal', { ...facts, attempts }, { cause: signal.reason })
      }
      pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)
    }
  }

  /** The first message that fits and was not given yet; it is given with this. */
  #firstOf(messages: readonly FoundMessage[], wanted: WaitForMessage): ReceivedMessage | undefined {
    for (const message of messages) {
      if (this.#given.has(message.MessageId) || !wasSent(message)) continue
      const received = receivedAs(message, wanted.match)
      if (!received) continue
      this.#given.add(message.MessageId)
      return received
    }
    return undefined
  }

  /** Says what was waited for, what came instead, and what may be wrong. */
  async #late(
    { to, match, signal }: WaitForMessage,
    timeout: number,
    after: string,
  ): Promise<MessageTimeoutError> {
    const newest = async (filter: MessageFilter) =>
      (await this.#client.searchMessages(filter, { signal, deadline: LEAST_LOOK_MS }).page()).Items
    const came = (await newest({ Limit: SHOWN + 1 })).filter(({ MessageId }) => MessageId > after)
    const [last] = await newest({ To: to, Limit: 1 })
    const kind =
      match === undefined ? '' : ` that has ${match instanceof RegExp ? match : shown(match)} in it`
    const texts = came.slice(0, SHOWN).map((message) => this.#inWords(message))
    const more = came.length > SHOWN ? 'others, and then ' : ''
    const instead =
      came.length === 0 ? 'no other came either' : `came instead: ${more}${texts.reverse().join('; ')}`
    const hint =
      last !== undefined && last.MessageId <= after
        ? '; the last one to this number is from before: if you mean that one, open the inbox, or take the cursor, ' +
          'before your program sends'
        : ''
    return new MessageTimeoutError(`no message to ${to}${kind} came within ${timeout} ms; ${instead}${hint}`)
  }

  #inWords(message: FoundMessage): string {
    const { MessageId, To, Content, Status } = message
    const text = Content.length > SHOWN_LENGTH ? `${Content.slice(0, SHOWN_LENGTH)}…` : Content
    const why = this.#given.has(MessageId) ? ' (given before)' : wasSent(message) ? '' : ` (${Status})`
    return `to ${To} ${JSON.stringify(text)}${why}`
  }
}

/** The end of the list. Messages that were accepted at once may stand in another order than their tickets. */
async function endOf(client: Pick<Client, 'searchMessages'>): Promise<MessageCursor> {
  const { Items } = await client.searchMessages({ Limit: 20 }).page()
  return Items.reduce((last, { MessageId }) => (MessageId > last ? MessageId : last), BEGINNING)
}

/** The messages to a number after a cursor, in the order in which they were accepted. */
async function messagesSince(
  client: Pick<Client, 'searchMessages'>,
  after: MessageCursor,
  to: string,
  options: { signal: AbortSignal | undefined; deadline: number },
): Promise<FoundMessage[]> {
  const pages = client.searchMessages({ To: to, Limit: 50 }, options)
  const found: FoundMessage[] = []
  let next: string | undefined
  do {
    const { Items, NextCursor } = await pages.page(next)
    const newer = Items.filter(({ MessageId }) => MessageId > after)
    found.push(...newer)
    next = newer.length === Items.length ? NextCursor : undefined
  } while (next !== undefined)
  return found.sort((a, b) => (a.MessageId < b.MessageId ? -1 : 1))
}

function wasSent({ Status }: FoundMessage): boolean {
  return Status !== 'scheduled' && Status !== 'cancelled'
}

/** The message, unless it does not match. */
function receivedAs(message: FoundMessage, wanted: WaitForMessage['match']): ReceivedMessage | undefined {
  const { MessageId: ticket, From: from, To: to, Content: text } = message
  const known = { ticket, from, to, text, message }
  if (!(wanted instanceof RegExp))
    return text.includes(wanted ?? '') ? { ...known, code: codeIn(text), match: undefined } : undefined
  // A pattern that is global or sticky would go on from its last match.
  const match = new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, '')).exec(text)
  if (!match) return undefined
  const group = match.slice(1).find((one) => one !== undefined)
  return { ...known, code: group ?? codeIn(match[0]) ?? codeIn(text), match }
}

function checkWanted({ to, match, after, timeout }: WaitForMessage): void {
  if (typeof to !== 'string' || to === '')
    throw new TypeError(`Expected the recipient's number in to; got ${shown(to)}.`)
  if (match !== undefined && typeof match !== 'string' && !(match instanceof RegExp))
    throw new TypeError(`Expected match to be a text or a pattern; got ${shown(match)}.`)
  checkCursor(after)
  checkNumber('timeout', timeout, { least: 0 })
}

function checkCursor(after: unknown): void {
  if (after === undefined || (typeof after === 'string' && CURSOR.test(after))) return
  throw new TypeError(`Expected after to be a cursor that now() gave, and no time; got ${shown(after)}.`)
}

/** Ends early when the signal aborts. */
function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, milliseconds)
    signal?.addEventListener('abort', wake)
    if (signal?.aborted) wake()
  })
}
