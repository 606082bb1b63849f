import { encodeBare, encodeMessage, encodeQuery } from '../codec/encode.ts'
import { type Address, COMMAND, type Pdu, type ShortMessage } from '../codec/pdu.ts'
import { type Answer, STATUS } from '../status.ts'
import { answerIn, queryAnswerIn } from './answers.ts'
import { Backoff } from './backoff.ts'
import { type Exchange, Exchanges, type Reply } from './exchanges.ts'
import { Inbox } from './inbox.ts'
import type { LinkEvents, LinkOptions, LinkState, QueryAnswer } from './link-options.ts'
import { Restraint } from './restraint.ts'
import { Session } from './session.ts'
import { Timers } from './timers.ts'

const MOST_QUEUED = 10_000
const UNBIND_MS = 1_000
const CLOSING = 'the connection is closing'

/** A bind that is kept up until it is closed. */
export class Link {
  readonly #options: LinkOptions
  readonly #events: LinkEvents
  readonly #backoff: Backoff
  readonly #exchanges: Exchanges
  readonly #inbox: Inbox
  readonly #restraint: Restraint
  readonly #timers: Timers<'dial' | 'rest' | 'pace' | 'expire'>
  #session: Session | undefined
  #state: LinkState = 'connecting'
  #reason = 'connecting'
  #dialAt = 0
  #isPumpDue = false
  #closing: Promise<void> | undefined
  #onIdle: (() => void) | undefined

  /** Dials at once. */
  constructor(options: LinkOptions, events: LinkEvents) {
    const { clock } = options
    this.#options = options
    this.#events = events
    this.#backoff = new Backoff(options)
    this.#exchanges = new Exchanges({ ...options, elapsed: clock.elapsed })
    this.#inbox = new Inbox(events.onMessage, () => this.#checkIdle())
    this.#restraint = new Restraint(options)
    this.#timers = new Timers(clock)
    this.#dial()
  }

  get state(): LinkState {
    return this.#state
  }

  /** Why it is not bound; contains no password. */
  get reason(): string {
    return this.#reason
  }

  get queued(): number {
    return this.#exchanges.queued
  }

  get unanswered(): number {
    return this.#exchanges.unanswered
  }

  /** How often the carrier was too busy. */
  get rests(): number {
    return this.#restraint.rests
  }

  /** How many more requests it can take now without a long wait. */
  capacity(): number {
    if (this.#state !== 'bound') return 0
    const { queued, unanswered } = this.#exchanges
    const short = Math.ceil(this.#exchanges.answeredLately() / 10)
    return Math.max(0, this.#restraint.window + short - queued - unanswered)
  }

  /** How long until it may be worth to try again. */
  retryMs(): number {
    const { clock, reconnectMs } = this.#options
    if (this.#state === 'resting') return this.#restraint.restMs()
    if (this.#state === 'bound') return 0
    // While it dials or closes, how long that takes is unknown.
    const isUnknown = this.#session || this.#state === 'closed'
    return isUnknown ? reconnectMs : Math.max(1, Math.ceil(this.#dialAt - clock.elapsed()))
  }

  /**
   * Never rejects. Calls `late` when an answer comes after the outcome was called uncertain. With `continues`, the message
   * is a further part of the one submitted just before.
   */
  submit(message: ShortMessage, late: (answer: Answer) => void, continues = false): Promise<Answer> {
    const why = this.#refusal()
    if (why !== undefined) return Promise.resolve({ kind: 'later', reason: why, afterMs: this.retryMs() })
    return new Promise((resolve) =>
      this.#request({
        continues,
        encode: (sequence) => encodeMessage(COMMAND.submitSm, message, sequence),
        resolve: (reply) => resolve(this.#answerOf(reply)),
        late: (pdu) => late(this.#answerIn(pdu)),
      }),
    )
  }

  /** Asks for the state of a message. Never rejects. */
  query(id: string, source: Address): Promise<QueryAnswer> {
    if (this.#refusal() !== undefined) return Promise.resolve({ kind: 'unknown' })
    return new Promise((resolve) =>
      this.#request({
        continues: false,
        encode: (sequence) => encodeQuery(id, source, sequence),
        resolve: (reply) => resolve(queryAnswerIn(reply)),
      }),
    )
  }

  /** Takes nothing more, waits for answers, and unbinds. */
  close(withinMs: number): Promise<void> {
    this.#closing ??= this.#close(withinMs)
    return this.#closing
  }

  async #close(withinMs: number): Promise<void> {
    const { clock, reconnectMs } = this.#options
    const end = clock.elapsed() + withinMs
    this.#become('closed', CLOSING)
    this.#exchanges.giveBack(CLOSING, reconnectMs)
    for (const kind of ['dial', 'rest', 'pace'] as const) this.#timers.cancel(kind)
    if (!this.#isIdle()) await this.#idle(withinMs)
    this.#timers.cancel('expire')
    const left = end - clock.elapsed()
    await this.#session?.unbind(Math.min(UNBIND_MS, Math.max(left, UNBIND_MS / 10)))
  }

  #idle(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(withinMs, resolve)
      this.#onIdle = () => {
        stop()
        resolve()
      }
    })
  }

  #isIdle(): boolean {
    return this.#exchanges.unanswered === 0 && this.#inbox.open === 0
  }

  #checkIdle(): void {
    if (this.#isIdle()) this.#onIdle?.()
  }

  #become(next: LinkState, why: string): void {
    if (this.#state === 'closed') return
    this.#state = next
    this.#reason = why
    this.#events.onState()
  }

  #dial(): void {
    this.#session = new Session(this.#options, {
      onBound: () => this.#bound(),
      onPdu: (pdu) => this.#hear(pdu),
      onRead: () => this.#proceed(),
      onEnd: (why) => this.#ended(why),
    })
  }

  #bound(): void {
    this.#backoff.bound()
    if (this.#restraint.restMs() > 0) this.#become('resting', this.#reason)
    else this.#become('bound', '')
    this.#proceed()
  }

  #ended(why: string): void {
    this.#session = undefined
    this.#restraint.disconnected()
    this.#timers.cancel('pace')
    this.#exchanges.lose()
    this.#checkIdle()
    if (this.#state === 'closed') return
    const delay = this.#backoff.ended()
    this.#dialAt = this.#options.clock.elapsed() + delay
    this.#timers.start('dial', delay, () => this.#dial())
    this.#become('connecting', why)
    this.#exchanges.giveBack(`not connected: ${why}`, Math.ceil(delay))
  }

  #hear(pdu: Pdu): void {
    switch (pdu.kind) {
      case 'submit_sm_resp':
        if (pdu.congestion !== undefined && this.#restraint.heed(pdu.congestion)) {
          this.#takeRest('the carrier is congested')
        }
        if (pdu.status === 0) this.#backoff.worked()
        this.#answered(pdu)
        break
      case 'query_sm_resp':
      case 'generic_nack':
        this.#answered(pdu)
        break
      case 'deliver_sm':
      case 'data_sm': {
        const from = this.#session
        this.#inbox.take(pdu.kind, pdu.sequence, pdu.message, (answer) => from?.write(answer))
        break
      }
      case 'bind':
      case 'submit_sm':
      case 'query_sm':
        // Not served by this side.
        this.#session?.write(encodeBare(COMMAND.genericNack, pdu.sequence, STATUS.invalidCommand))
    }
  }

  #answered(pdu: Pdu): void {
    this.#restraint.answered()
    const sentAt = this.#exchanges.answer(pdu.sequence, pdu)
    if (sentAt !== undefined && pdu.status === 0) this.#restraint.taken(sentAt)
    this.#checkIdle()
  }

  /** All submissions are given back: the carrier would refuse the next one too. */
  #takeRest(why: string): void {
    if (this.#state !== 'bound') return
    const restMs = this.#restraint.rest()
    this.#exchanges.giveBack(why, restMs)
    this.#timers.start('rest', restMs, () => {
      if (this.#state === 'resting') this.#become('bound', '')
      this.#proceed()
    })
    this.#become('resting', why)
  }

  #proceed(): void {
    this.#pump()
    this.#events.onCapacity()
  }

  /** Writes as much as the window, the socket and the pace allow. */
  #pump(): void {
    const { pace } = this.#options
    const exchanges = this.#exchanges
    const session = this.#session
    if (!session) return
    while (this.#state === 'bound' && exchanges.queued > 0 && exchanges.unanswered < this.#restraint.window) {
      if (session.full) return
      if (!pace.take()) {
        this.#timers.start('pace', pace.waitMs(), () => this.#proceed())
        return
      }
      const exchange = exchanges.next()
      if (exchange) this.#send(session, exchange)
    }
  }

  #send(to: Session, exchange: Exchange): void {
    const sequence = to.nextSequence()
    try {
      const pdu = exchange.encode(sequence)
      this.#exchanges.sent(sequence, exchange)
      to.write(pdu)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      exchange.resolve({ kind: 'unwritable', reason: error.message })
    }
  }

  /** Requests of one turn of the event loop leave together. */
  #request(exchange: Exchange): void {
    this.#exchanges.add(exchange)
    this.#watchDeadlines()
    if (this.#isPumpDue) return
    this.#isPumpDue = true
    queueMicrotask(() => {
      this.#isPumpDue = false
      this.#pump()
    })
  }

  #watchDeadlines(): void {
    if (this.#exchanges.queued + this.#exchanges.unanswered === 0) return
    const { writtenWithinMs, responseMs } = this.#options
    this.#timers.start('expire', Math.min(500, writtenWithinMs / 4, responseMs / 4), () => {
      this.#exchanges.expire()
      this.#checkIdle()
      this.#proceed()
      this.#watchDeadlines()
    })
  }

  /** Why nothing can be queued now. */
  #refusal(): string | undefined {
    if (this.#state === 'closed') return CLOSING
    if (this.#state === 'resting') return this.#reason
    if (this.#state === 'connecting') return `not connected: ${this.#reason}`
    return this.#exchanges.queued >= MOST_QUEUED ? 'the queue is full' : undefined
  }

  #answerOf(reply: Reply): Answer {
    switch (reply.kind) {
      case 'unanswered':
        // An unanswered message is uncertain, so a silent carrier gets only as many as are needed to test it.
        if (this.#restraint.unanswered(reply.sentAt)) this.#takeRest('the carrier does not answer')
        return { kind: 'uncertain' }
      case 'lost':
        return { kind: 'uncertain' }
      case 'unwritable':
        return { kind: 'rejected', reason: reply.reason }
      case 'unsent':
        return { kind: 'later', reason: reply.reason, afterMs: reply.afterMs }
      case 'answered':
        return this.#answerIn(reply.pdu)
    }
  }

  #answerIn(pdu: Pdu): Answer {
    const answer = answerIn(pdu, this.#options.statuses)
    if (answer.kind !== 'later') return answer
    this.#takeRest(answer.reason)
    return { ...answer, afterMs: this.retryMs() }
  }
}
