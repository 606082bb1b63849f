import { Silence } from '@wigwag/contract'
import type { Clock } from '../../../kernel/process/clock.ts'
import { MINUTE_MS } from '../../../kernel/time/spans.ts'
import type { Outbound, OutboundRequest, OutboundResult } from '../../../net/outbound/port.ts'
import type {
  Carrier,
  CarrierEvents,
  CarrierState,
  ReceiptAnswer,
  ReceiptRequest,
  Submission,
  SubmitOutcome,
} from '../../carrier.ts'
import { RequestTurns } from '../request-turns.ts'
import type { HttpSettings } from '../settings.ts'
import { type Blank, blanking, reasonOf } from './provider-words.ts'
import { judge, readReceipts, retryAfterMs } from './read.ts'
import { requestFor } from './request.ts'
import { Rest } from './rest.ts'

/** A request that has not been written within this time comes later. */
const TURN_MS = 10_000
const RECEIPT_EXPECTED_MS = MINUTE_MS
/** When another process can take what this one no longer sends. */
const CLOSING_MS = 1_000
const CLOSED = { kind: 'away', reason: 'the gateway is closing' } as const

/**
 * A carrier whose HTTP API a template describes. A message is one request, which the provider splits if it must, so it
 * always has one part here.
 */
export class HttpCarrier implements Carrier {
  readonly name: string
  readonly receiptExpectedMs = RECEIPT_EXPECTED_MS
  readonly receipts = 'one'
  readonly unanswered: Carrier['unanswered']
  readonly query = undefined
  readonly #settings: HttpSettings
  readonly #outbound: Outbound
  readonly #clock: Clock
  readonly #receiptsUrl: () => string
  readonly #turns: RequestTurns
  readonly #silence: Silence
  readonly #rest: Rest
  readonly #blank: Blank
  /** Settles each submission that has been sent and not answered. */
  readonly #settlers = new Set<(outcome: SubmitOutcome) => void>()
  #events: CarrierEvents | undefined
  #isClosed = false
  #onIdle = () => {}
  #unreadable = 0

  constructor(
    settings: HttpSettings,
    parts: {
      /** Checks addresses as it does for callbacks. */
      outbound: Outbound
      clock: Clock
      /** The address that the provider posts receipts to. */
      receiptsUrl(): string
    },
  ) {
    const { clock } = parts
    const { window, tps } = settings
    const onChange = () => this.#events?.onChange()
    this.name = settings.name
    this.unanswered = settings.unanswered
    this.#settings = settings
    this.#outbound = parts.outbound
    this.#clock = clock
    this.#receiptsUrl = parts.receiptsUrl
    this.#turns = new RequestTurns({ clock, window, tps, waitMs: TURN_MS, onFree: onChange })
    this.#silence = new Silence(clock.elapsed)
    this.#rest = new Rest(clock, onChange)
    this.#blank = blankOf(settings, this.#receiptsUrl)
  }

  capacity(): number {
    if (this.#refusal() !== undefined) return 0
    // One message finds out whether a carrier that was away is back.
    return this.#rest.outage === undefined ? this.#turns.free() : Number(this.#turns.isIdle)
  }

  state(): CarrierState {
    const { kind, reason } = this.#isClosed ? CLOSED : (this.#rest.current() ?? this.#proof())
    const { running } = this.#turns
    return {
      kind,
      reason,
      inWindow: running,
      rests: this.#rest.count,
      unreadable: this.#unreadable,
      inbound: 0,
    }
  }

  start(events: CarrierEvents): void {
    this.#events = events
  }

  async submit(message: Submission): Promise<SubmitOutcome> {
    if (message.taken.includes(0)) return { kind: 'accepted', refs: [], parts: 1 }
    const refused = this.#refusal()
    if (refused !== undefined) return refused
    const turn = await this.#turns.enter()
    if (turn.kind === 'later') return this.#refusal() ?? { ...turn, afterMs: 1_000 }
    try {
      return await this.#send(message)
    } finally {
      this.#turns.leave()
      if (this.#turns.running === 0) this.#onIdle()
      this.#events?.onChange()
    }
  }

  async takeReceipts(request: ReceiptRequest): Promise<ReceiptAnswer> {
    const { receipts: template } = this.#settings.template
    if (template === undefined) return answer(404, 'This carrier sends no receipts here.')
    const read = readReceipts(request, template, this.#blank)
    this.#unreadable += read.unreadable
    if (read.receipts.length + read.progress === 0) return answer(400, 'No receipt could be read.')
    if (read.receipts.length === 0) return template.answer
    const events = this.#events
    if (events === undefined || this.#isClosed) return answer(503, 'The gateway is not ready; send it again.')
    try {
      await events.onReceipts(read.receipts)
      return template.answer
    } catch (error) {
      events.onFault(error)
      return answer(503, 'The receipts could not be stored; send them again.')
    }
  }

  async close(withinMs: number): Promise<void> {
    this.#isClosed = true
    this.#rest.stop()
    this.#turns.sendAway(CLOSED.reason)
    if (this.#turns.running > 0) {
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(withinMs, resolve)
        this.#onIdle = () => {
          cancel()
          resolve()
        }
      })
    }
    for (const conclude of this.#settlers) conclude({ kind: 'uncertain' })
  }

  /** Why nothing can be sent now. */
  #refusal(): SubmitOutcome | undefined {
    if (this.#isClosed) return { kind: 'later', reason: CLOSED.reason, afterMs: CLOSING_MS }
    const current = this.#rest.current()
    return current && { kind: 'later', reason: current.reason, afterMs: Math.ceil(current.leftMs) }
  }

  /** Sends the request; settles when it is answered or when `close` can wait no longer. Then the answer comes late. */
  #send(message: Submission): Promise<SubmitOutcome> {
    return new Promise((resolve) => {
      const conclude = (outcome: SubmitOutcome) => {
        if (this.#settlers.delete(conclude)) resolve(outcome)
        else if (outcome.kind !== 'uncertain') this.#events?.onLateAnswer(message.ticket, outcome)
      }
      this.#settlers.add(conclude)
      this.#exchange(message).then(conclude, (error: unknown) => {
        this.#events?.onFault(error)
        conclude({ kind: 'uncertain' })
      })
    })
  }

  /** Undefined for a message that can't be written: certainly nothing of it was sent. */
  #written(message: Submission): OutboundRequest | undefined {
    try {
      return requestFor(message, this.#settings, this.#receiptsUrl(), this.#clock.now())
    } catch (error) {
      this.#events?.onFault(error)
      return undefined
    }
  }

  async #exchange(message: Submission): Promise<SubmitOutcome> {
    const request = this.#written(message)
    if (!request) return { kind: 'not_taken', reason: 'it cannot be written' }
    const sentAt = this.#clock.elapsed()
    const result = await this.#outbound(request)
    if (result.kind === 'reply') {
      this.#silence.answered()
      return this.#outcomeOf(result, message)
    }
    if (result.stage === 'during') {
      // Whatever it does not answer is uncertain, so it gets no more of it than it takes to find out.
      if (this.#silence.unanswered(sentAt)) this.#pause('away', 'the carrier does not answer', 0)
      return { kind: 'uncertain' }
    }
    const { failure } = result
    // The words of a TLS error can be those of the provider's certificate.
    const reason = reasonOf(result.detail, this.#blank)
    // The settings or the message are to blame, so a rest would mend nothing and every message counts its attempts.
    if (failure === 'invalid_url' || failure === 'blocked_address') return { kind: 'not_taken', reason }
    return this.#pause('away', reason, 0)
  }

  #outcomeOf(reply: Extract<OutboundResult, { kind: 'reply' }>, message: Submission): SubmitOutcome {
    const { outcome, ref, reason: told } = judge(reply, this.#settings.template.replies)
    const reason = reasonOf(told, this.#blank)
    if (outcome === 'later') return this.#pause('resting', reason, retryAfterMs(reply, this.#clock.now()))
    this.#rest.worked()
    if (outcome === 'uncertain') return { kind: 'uncertain' }
    if (outcome !== 'accepted') return { kind: outcome, reason }
    return { kind: 'accepted', refs: [{ part: 0, ref: ref ?? message.ticket }], parts: 1 }
  }

  /** Leaves the carrier alone for a time; the message comes again when that is over. */
  #pause(kind: 'resting' | 'away', reason: string, atLeastMs: number): SubmitOutcome {
    if (!this.#isClosed) {
      this.#rest.begin(kind, reason, atLeastMs)
      this.#turns.sendAway(reason)
      this.#events?.onChange()
    }
    return { kind: 'later', reason, afterMs: Math.ceil(this.#rest.current()?.leftMs ?? CLOSING_MS) }
  }

  /** A carrier that was away is not up before it has answered: nothing new is given to it until then. */
  #proof(): Pick<CarrierState, 'kind' | 'reason'> {
    const { outage } = this.#rest
    return outage === undefined ? { kind: 'up', reason: '' } : { kind: 'resting', reason: outage }
  }
}

function answer(status: number, text: string): ReceiptAnswer {
  return { status, body: `${text}\n`, contentType: 'text/plain; charset=utf-8' }
}

/** A shorter name is found in texts that do not repeat it. */
const SHORTEST_USER = 4

/** Blanks what a provider is sent and may repeat: the credentials, and the address of receipts, which may change. */
function blankOf({ user, secret, receiptsSecret = '' }: HttpSettings, receiptsUrl: () => string): Blank {
  const credentials = [secret, secret && `${user}:${secret}`, user.length < SHORTEST_USER ? '' : user]
  let known: { address: string; blank: Blank } | undefined
  return function blank(text) {
    const address = receiptsSecret && receiptsUrl()
    if (known?.address !== address)
      known = { address, blank: blanking([...credentials, receiptsSecret, address]) }
    return known.blank(text)
  }
}
