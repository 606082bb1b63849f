import { createSilence } from '@wigwag/contract'
import { encodeBare, encodeMessage, encodeQuery } from '../codec/encode.ts'
import { COMMAND, type Pdu } from '../codec/pdu.ts'
import { stateOf } from '../receipt.ts'
import { type Answer, kindOf, nameOf, STATUS } from '../status.ts'
import { createBackoff } from './backoff.ts'
import { createExchanges, type Exchange, type Reply } from './exchanges.ts'
import { createInbox } from './inbox.ts'
import type { Link, LinkEvents, LinkOptions, LinkState, QueryAnswer } from './link.ts'
import { createRest } from './rest.ts'
import { openSession, type Session } from './session.ts'
import { createTimers } from './timers.ts'

const MOST_QUEUED = 10_000
const UNBIND_MS = 1_000
const CLOSING = 'the connection is closing'
/** congestion_state of SMPP 5.0: from 90 nearly congested, at 100 congested. */
const NEARLY_CONGESTED = 90
const CONGESTED = 100

export function openLink(options: LinkOptions, events: LinkEvents): Link {
  const { clock, pace, reconnectMs } = options
  const backoff = createBackoff(options)
  const exchanges = createExchanges({ ...options, elapsed: clock.elapsed })
  const inbox = createInbox(events.onMessage, checkIdle)
  const silence = createSilence(clock.elapsed)
  const rest = createRest({ firstMs: options.restMs, elapsed: clock.elapsed })
  const timers = createTimers<'dial' | 'rest' | 'pace' | 'expire'>(clock)
  let session: Session | undefined
  let state: LinkState = 'connecting'
  let reason = 'connecting'
  let dialAt = 0
  let congestion = 0
  let isPumpDue = false
  let closing: Promise<void> | undefined
  let onIdle: (() => void) | undefined

  function become(next: LinkState, why: string): void {
    if (state === 'closed') return
    state = next
    reason = why
    events.onState()
  }

  function dial(): void {
    session = openSession(options, { onBound, onPdu: hear, onRead: proceed, onEnd })
  }

  function onBound(): void {
    backoff.bound()
    if (rest.leftMs() > 0) become('resting', reason)
    else become('bound', '')
    proceed()
  }

  function onEnd(why: string): void {
    session = undefined
    congestion = 0
    timers.cancel('pace')
    exchanges.lose()
    checkIdle()
    if (state === 'closed') return
    const delay = backoff.ended()
    dialAt = clock.elapsed() + delay
    timers.start('dial', delay, dial)
    become('connecting', why)
    exchanges.giveBack(`not connected: ${why}`, Math.ceil(delay))
  }

  function hear(pdu: Pdu): void {
    switch (pdu.kind) {
      case 'submit_sm_resp':
        if (pdu.congestion !== undefined) heedCongestion(pdu.congestion)
        answered(pdu)
        break
      case 'query_sm_resp':
      case 'generic_nack':
        answered(pdu)
        break
      case 'deliver_sm':
      case 'data_sm': {
        const from = session
        inbox.take(pdu.kind, pdu.sequence, pdu.message, (answer) => from?.write(answer))
        break
      }
      case 'bind':
      case 'submit_sm':
      case 'query_sm':
        // Not served by this side.
        session?.write(encodeBare(COMMAND.genericNack, pdu.sequence, STATUS.invalidCommand))
    }
  }

  function answered(pdu: Pdu): void {
    silence.answered()
    const sentAt = exchanges.answer(pdu.sequence, pdu)
    if (sentAt !== undefined && pdu.status === 0 && congestion < CONGESTED) rest.taken(sentAt)
    checkIdle()
  }

  function heedCongestion(given: number): void {
    congestion = given
    if (given >= CONGESTED) takeRest('the carrier is congested')
  }

  /** All submissions are given back: the carrier would refuse the next one too. */
  function takeRest(why: string): void {
    if (state !== 'bound') return
    rest.begin()
    exchanges.giveBack(why, rest.leftMs())
    timers.start('rest', rest.leftMs(), () => {
      if (state === 'resting') become('bound', '')
      proceed()
    })
    become('resting', why)
  }

  function checkIdle(): void {
    if (exchanges.unanswered === 0 && inbox.open === 0) onIdle?.()
  }

  function window(): number {
    if (silence.isOn) return 1
    return congestion < NEARLY_CONGESTED ? options.window : Math.max(1, options.window >> 1)
  }

  function proceed(): void {
    pump()
    events.onCapacity()
  }

  /** Writes as much as the window, the socket and the pace allow. */
  function pump(): void {
    while (session && state === 'bound' && exchanges.queued > 0 && exchanges.unanswered < window()) {
      if (session.full) return
      if (!pace.take()) {
        timers.start('pace', pace.waitMs(), proceed)
        return
      }
      const exchange = exchanges.next()
      if (exchange) send(session, exchange)
    }
  }

  function send(to: Session, exchange: Exchange): void {
    const sequence = to.nextSequence()
    try {
      const pdu = exchange.encode(sequence)
      exchanges.sent(sequence, exchange)
      to.write(pdu)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      exchange.resolve({ kind: 'unwritable', reason: error.message })
    }
  }

  /** Requests of one turn of the event loop leave together. */
  function request(exchange: Exchange): void {
    exchanges.add(exchange)
    watchDeadlines()
    if (isPumpDue) return
    isPumpDue = true
    queueMicrotask(() => {
      isPumpDue = false
      pump()
    })
  }

  function watchDeadlines(): void {
    if (exchanges.queued + exchanges.unanswered === 0) return
    const { writtenWithinMs, responseMs } = options
    timers.start('expire', Math.min(500, writtenWithinMs / 4, responseMs / 4), () => {
      exchanges.expire()
      checkIdle()
      proceed()
      watchDeadlines()
    })
  }

  /** Why nothing can be queued now. */
  function refusal(): string | undefined {
    if (state === 'closed') return CLOSING
    if (state === 'resting') return reason
    if (state === 'connecting') return `not connected: ${reason}`
    return exchanges.queued >= MOST_QUEUED ? 'the queue is full' : undefined
  }

  function retryMs(): number {
    if (state === 'resting') return rest.leftMs()
    if (state === 'bound') return 0
    // While it dials or closes, how long that takes is unknown.
    return session || state === 'closed' ? reconnectMs : Math.max(1, Math.ceil(dialAt - clock.elapsed()))
  }

  function answerOf(reply: Reply): Answer {
    switch (reply.kind) {
      case 'unanswered':
        // An unanswered message is uncertain, so a silent carrier gets only as many as are needed to test it.
        if (silence.unanswered(reply.sentAt)) takeRest('the carrier does not answer')
        return { kind: 'uncertain' }
      case 'lost':
        return { kind: 'uncertain' }
      case 'unwritable':
        return { kind: 'rejected', reason: reply.reason }
      case 'unsent':
        return { kind: 'later', reason: reply.reason, afterMs: reply.afterMs }
      case 'answered':
        return answerIn(reply.pdu)
    }
  }

  function answerIn(pdu: Pdu): Answer {
    if (pdu.kind === 'submit_sm_resp' && pdu.status === 0) return { kind: 'accepted', id: pdu.messageId }
    // A generic_nack may come without a status.
    const status = pdu.status || STATUS.unknown
    const kind = kindOf(status, options.statuses)
    if (kind === 'uncertain') return { kind }
    const why = `the carrier answered ${nameOf(status)}`
    if (kind !== 'later') return { kind, reason: why }
    takeRest(why)
    return { kind, reason: why, afterMs: retryMs() }
  }

  async function close(withinMs: number): Promise<void> {
    const end = clock.elapsed() + withinMs
    become('closed', CLOSING)
    exchanges.giveBack(CLOSING, reconnectMs)
    for (const kind of ['dial', 'rest', 'pace'] as const) timers.cancel(kind)
    if (exchanges.unanswered > 0 || inbox.open > 0) await idle(withinMs)
    timers.cancel('expire')
    const left = end - clock.elapsed()
    await session?.unbind(Math.min(UNBIND_MS, Math.max(left, UNBIND_MS / 10)))
  }

  function idle(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = clock.after(withinMs, resolve)
      onIdle = () => {
        stop()
        resolve()
      }
    })
  }

  dial()

  return {
    get state() {
      return state
    },
    get reason() {
      return reason
    },
    get queued() {
      return exchanges.queued
    },
    get unanswered() {
      return exchanges.unanswered
    },
    get rests() {
      return rest.count
    },
    capacity() {
      if (state !== 'bound') return 0
      const short = Math.ceil(exchanges.answeredLately() / 10)
      return Math.max(0, window() + short - exchanges.queued - exchanges.unanswered)
    },
    retryMs,
    submit(message, late, continues = false) {
      const why = refusal()
      if (why !== undefined) return Promise.resolve({ kind: 'later', reason: why, afterMs: retryMs() })
      return new Promise((resolve) =>
        request({
          continues,
          encode: (sequence) => encodeMessage(COMMAND.submitSm, message, sequence),
          resolve: (reply) => resolve(answerOf(reply)),
          late: (pdu) => late(answerIn(pdu)),
        }),
      )
    },
    query(id, source) {
      if (refusal() !== undefined) return Promise.resolve({ kind: 'unknown' })
      return new Promise((resolve) =>
        request({
          continues: false,
          encode: (sequence) => encodeQuery(id, source, sequence),
          resolve: (reply) => resolve(queryAnswerOf(reply)),
        }),
      )
    },
    close: (withinMs) => {
      closing ??= close(withinMs)
      return closing
    },
  }
}

function queryAnswerOf(reply: Reply): QueryAnswer {
  if (reply.kind !== 'answered' || reply.pdu.kind !== 'query_sm_resp') return { kind: 'unknown' }
  const state = reply.pdu.status === 0 ? stateOf(reply.pdu.state) : undefined
  return state === undefined ? { kind: 'unknown' } : { kind: 'state', state }
}
