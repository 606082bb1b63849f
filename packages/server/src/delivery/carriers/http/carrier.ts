import { createSilence } from '@wigwag/contract'
import type { Clock } from '../../../platform/clock.ts'
import type { Outbound, OutboundRequest, OutboundResult } from '../../../platform/outbound/port.ts'
import type { Carrier, CarrierEvents, CarrierState, Submission, SubmitOutcome } from '../../carrier.ts'
import { createTurns } from '../request-turns.ts'
import { type Blank, createBlank } from './blank-secrets.ts'
import { reasonOf } from './provider-words.ts'
import { type ReceiptRequest, readReceipts } from './receipts.ts'
import { judge, retryAfterMs } from './reply.ts'
import { requestFor } from './request.ts'
import { createRest } from './rest.ts'
import type { HttpSettings } from './settings.ts'

export interface HttpParts {
  /** Checks addresses as it does for callbacks. */
  outbound: Outbound
  clock: Clock
  /** The address that the provider posts receipts to. */
  receiptsUrl(): string
}

export interface ReceiptAnswer {
  status: number
  body: string
  contentType: string
}

export interface HttpCarrier extends Carrier {
  /** Takes a request that came to `receiptsUrl`. Never rejects. */
  takeReceipts(request: ReceiptRequest): Promise<ReceiptAnswer>
}

/** A request that has not been written within this time comes later. */
const TURN_MS = 10_000
const RECEIPT_EXPECTED_MS = 60_000
/** When another process can take what this one no longer sends. */
const CLOSING_MS = 1_000
const CLOSED = { kind: 'away', reason: 'the gateway is closing' } as const

/**
 * A carrier whose HTTP API a template describes. A message is one request, which the provider splits if it must, so it
 * always has one part here.
 */
export function createHttpCarrier(settings: HttpSettings, parts: HttpParts): HttpCarrier {
  const { template } = settings
  const { outbound, clock, receiptsUrl } = parts
  const { window, tps } = settings
  const turns = createTurns({ clock, window, tps, waitMs: TURN_MS, onFree: () => events?.onChange() })
  const silence = createSilence(clock.elapsed)
  const rest = createRest({ clock, onEnd: () => events?.onChange() })
  /** Settles each submission that has been sent and not answered. */
  const unanswered = new Set<(outcome: SubmitOutcome) => void>()
  let events: CarrierEvents | undefined
  let isClosed = false
  let onIdle = () => {}
  let unreadable = 0
  const blank = createBlanking(settings, receiptsUrl)

  /** Why nothing can be sent now. */
  function refusal(): SubmitOutcome | undefined {
    if (isClosed) return { kind: 'later', reason: CLOSED.reason, afterMs: CLOSING_MS }
    const current = rest.current()
    return current && { kind: 'later', reason: current.reason, afterMs: Math.ceil(current.leftMs) }
  }

  async function submit(message: Submission): Promise<SubmitOutcome> {
    if (message.taken.includes(0)) return { kind: 'accepted', refs: [], parts: 1 }
    const refused = refusal()
    if (refused !== undefined) return refused
    const turn = await turns.enter()
    if (turn.kind === 'later') return refusal() ?? { ...turn, afterMs: 1_000 }
    try {
      return await send(message)
    } finally {
      turns.leave()
      if (turns.running() === 0) onIdle()
      events?.onChange()
    }
  }

  /** Sends the request; settles when it is answered or when `close` can wait no longer. Then the answer comes late. */
  function send(message: Submission): Promise<SubmitOutcome> {
    return new Promise((resolve) => {
      const conclude = (outcome: SubmitOutcome) => {
        if (unanswered.delete(conclude)) resolve(outcome)
        else if (outcome.kind !== 'uncertain') events?.onLateAnswer(message.ticket, outcome)
      }
      unanswered.add(conclude)
      exchange(message).then(conclude, (error: unknown) => {
        events?.onFault(error)
        conclude({ kind: 'uncertain' })
      })
    })
  }

  /** Undefined for a message that can't be written: certainly nothing of it was sent. */
  function written(message: Submission): OutboundRequest | undefined {
    try {
      return requestFor(message, settings, receiptsUrl(), clock.now())
    } catch (error) {
      events?.onFault(error)
      return undefined
    }
  }

  async function exchange(message: Submission): Promise<SubmitOutcome> {
    const request = written(message)
    if (!request) return { kind: 'not_taken', reason: 'it cannot be written' }
    const sentAt = clock.elapsed()
    const result = await outbound(request)
    if (result.kind === 'reply') {
      silence.answered()
      return outcomeOf(result, message)
    }
    if (result.stage === 'during') {
      // Whatever it does not answer is uncertain, so it gets no more of it than it takes to find out.
      if (silence.unanswered(sentAt)) pause('away', 'the carrier does not answer', 0)
      return { kind: 'uncertain' }
    }
    const { failure } = result
    // The words of a TLS error can be those of the provider's certificate.
    const reason = reasonOf(result.detail, blank)
    // The settings or the message are to blame, so a rest would mend nothing and every message counts its attempts.
    if (failure === 'invalid_url' || failure === 'blocked_address') return { kind: 'not_taken', reason }
    return pause('away', reason, 0)
  }

  function outcomeOf(reply: Extract<OutboundResult, { kind: 'reply' }>, message: Submission): SubmitOutcome {
    const { outcome, ref, reason: told } = judge(reply, template.replies)
    const reason = reasonOf(told, blank)
    if (outcome === 'later') return pause('resting', reason, retryAfterMs(reply, clock.now()))
    rest.worked()
    if (outcome === 'uncertain') return { kind: 'uncertain' }
    if (outcome !== 'accepted') return { kind: outcome, reason }
    return { kind: 'accepted', refs: [{ part: 0, ref: ref ?? message.ticket }], parts: 1 }
  }

  /** Leaves the carrier alone for a time; the message comes again when that is over. */
  function pause(kind: 'resting' | 'away', reason: string, atLeastMs: number): SubmitOutcome {
    if (!isClosed) {
      rest.begin(kind, reason, atLeastMs)
      turns.sendAway(reason)
      events?.onChange()
    }
    return { kind: 'later', reason, afterMs: Math.ceil(rest.current()?.leftMs ?? CLOSING_MS) }
  }

  /** A carrier that was away is not up before it has answered: nothing new is given to it until then. */
  function proof(): Pick<CarrierState, 'kind' | 'reason'> {
    const outage = rest.outage()
    return outage === undefined ? { kind: 'up', reason: '' } : { kind: 'resting', reason: outage }
  }

  return {
    name: settings.name,
    receiptExpectedMs: RECEIPT_EXPECTED_MS,
    receipts: 'one',
    unanswered: settings.unanswered,
    query: undefined,
    submit,

    capacity() {
      if (refusal() !== undefined) return 0
      // One message finds out whether a carrier that was away is back.
      return rest.outage() === undefined ? turns.free() : Number(turns.isIdle())
    },

    state() {
      const { kind, reason } = isClosed ? CLOSED : (rest.current() ?? proof())
      return { kind, reason, inWindow: turns.running(), rests: rest.count(), unreadable, inbound: 0 }
    },

    start(given) {
      events = given
    },

    async takeReceipts(request) {
      if (template.receipts === undefined) return answer(404, 'This carrier sends no receipts here.')
      const read = readReceipts(request, template.receipts, blank)
      unreadable += read.unreadable
      if (read.receipts.length + read.progress === 0) return answer(400, 'No receipt could be read.')
      if (read.receipts.length === 0) return template.receipts.answer
      if (events === undefined || isClosed) return answer(503, 'The gateway is not ready; send it again.')
      try {
        await events.onReceipts(read.receipts)
        return template.receipts.answer
      } catch (error) {
        events.onFault(error)
        return answer(503, 'The receipts could not be stored; send them again.')
      }
    },

    async close(withinMs) {
      isClosed = true
      rest.stop()
      turns.sendAway(CLOSED.reason)
      if (turns.running() > 0) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(withinMs, resolve)
          onIdle = () => {
            cancel()
            resolve()
          }
        })
      }
      for (const conclude of unanswered) conclude({ kind: 'uncertain' })
    },
  }
}

function answer(status: number, text: string): ReceiptAnswer {
  return { status, body: `${text}\n`, contentType: 'text/plain; charset=utf-8' }
}

/** A shorter name is found in texts that do not repeat it. */
const SHORTEST_USER = 4

/** Blanks what a provider is sent and may repeat: the credentials, and the address of receipts, which may change. */
function createBlanking(
  { user, secret, receiptsSecret = '' }: HttpSettings,
  receiptsUrl: () => string,
): Blank {
  const credentials = [secret, secret && `${user}:${secret}`, user.length < SHORTEST_USER ? '' : user]
  let known: { address: string; blank: Blank } | undefined
  return function blank(text) {
    const address = receiptsSecret && receiptsUrl()
    if (known?.address !== address)
      known = { address, blank: createBlank([...credentials, receiptsSecret, address]) }
    return known.blank(text)
  }
}
