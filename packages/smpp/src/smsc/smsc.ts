import { createServer, type Server } from 'node:net'
import { type Clock, systemClock } from '@wigwag/contract'
import { encodeMessageResponse, encodeQueryResponse } from '../codec/encode.ts'
import { COMMAND, type Pdu, type ShortMessage } from '../codec/pdu.ts'
import { Pace } from '../link/pace.ts'
import { STATUS } from '../status.ts'
import { Messages } from './messages.ts'
import { Outbox } from './outbox.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { Peer } from './peer.ts'
import { type PartOf, readText } from './submitted-text.ts'
import { STATES, writeReceipt } from './written-receipt.ts'

/** How a carrier for tests behaves. Percentages are of the messages that it takes. */
export interface SmscOptions {
  host: string
  /** 0 picks a free one. */
  port: number
  /** Undefined accepts any password. */
  password: string | undefined
  /** Submissions a second; those beyond are answered with RTHROTTLED. 0 for no limit. */
  tps: number
  receipts: 'text' | 'tlv' | 'both' | 'none'
  /** `mixed`: hex in answers, decimal in receipts. */
  ids: 'hex' | 'decimal' | 'mixed'
  /** How long it takes to answer a submission. */
  answerMs: number
  /** How long a receipt takes after the answer. */
  delayMs: number
  /** Sends receipts before the answer, once both times have passed. */
  receiptFirst: boolean
  /** Messages that are taken and never answered. */
  silentPercent: number
  /** Messages that are taken, and the connection is dropped instead of an answer. */
  hangupPercent: number
  /** Messages that are taken and get no receipt. */
  forgetPercent: number
  /** The pause before a refused receipt is sent again. */
  againMs: number
  clock: Clock
  /** From 0 to 1. */
  random(): number
  onSubmit(submitted: Submitted): void
}

/** A message, or a part of one, that was taken. */
export interface Submitted {
  systemId: string
  id: string
  source: string
  destination: string
  text: string
  part: PartOf | undefined
  message: ShortMessage
  /** How often this part with this text was taken, from this sender to this recipient. */
  times: number
}

const MOST_CONNECTIONS = 1_000

const DEFAULTS: SmscOptions = {
  host: '127.0.0.1',
  port: 0,
  password: undefined,
  tps: 0,
  receipts: 'text',
  ids: 'hex',
  answerMs: 0,
  delayMs: 0,
  receiptFirst: false,
  silentPercent: 0,
  hangupPercent: 0,
  forgetPercent: 0,
  againMs: 1_000,
  clock: systemClock,
  random: Math.random,
  onSubmit() {},
}

/** Resolves once it listens. Defaults are harmless: any password, any pace, an answer and receipt at once. */
export async function startSmsc(given: Partial<SmscOptions> = {}): Promise<Smsc> {
  const smsc = new Smsc({ ...DEFAULTS, ...given })
  await smsc.listen()
  return smsc
}

/** A carrier for tests. */
export class Smsc {
  readonly #options: SmscOptions
  readonly #server: Server
  readonly #pace: Pace
  readonly #peers = new Set<Peer>()
  readonly #outboxes = new Map<string, Outbox>()
  readonly #messages = new Messages()
  readonly #timers = new Set<() => void>()
  readonly #counts = { taken: 0, refused: 0, throttled: 0, repeated: 0 }
  #lastId: number
  #port: number

  constructor(options: SmscOptions) {
    const { tps, clock } = options
    this.#options = options
    this.#port = options.port
    this.#pace = new Pace({ tps, burst: tps, elapsed: clock.elapsed })
    // Begins at the time, so that a restart does not repeat IDs.
    this.#lastId = clock.now() * 1_000
    this.#server = createServer((socket) => {
      const peer = new Peer(socket, {
        onBind: ({ password }) => this.#statusOf(password),
        onSubmit: (sequence, message) => this.#submitted(peer, sequence, message),
        onQuery: (query) => this.#asked(peer, query),
        outboxOf: (systemId) => this.#outboxOf(systemId),
        onEnd: () => this.#peers.delete(peer),
      })
      this.#peers.add(peer)
    })
    this.#server.maxConnections = MOST_CONNECTIONS
  }

  /** Where it listens, also once it no longer does. */
  get port(): number {
    return this.#port
  }

  counts(): { taken: number; refused: number; throttled: number; repeated: number } {
    return { ...this.#counts }
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.#options.port, this.#options.host, resolve)
    })
    const address = this.#server.address()
    if (typeof address === 'object' && address) this.#port = address.port
  }

  /** Drops all connections, and goes on listening. */
  hangUp(): void {
    for (const peer of this.#peers) peer.hangUp()
  }

  async close(): Promise<void> {
    for (const cancel of this.#timers) cancel()
    for (const outbox of this.#outboxes.values()) outbox.close()
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const peer of this.#peers) peer.unbind()
    await closed
  }

  #statusOf(password: string): number {
    const wanted = this.#options.password
    return wanted === undefined || wanted === password ? STATUS.ok : STATUS.invalidPassword
  }

  #outboxOf(systemId: string): Outbox {
    const outbox = this.#outboxes.get(systemId) ?? new Outbox(this.#options)
    this.#outboxes.set(systemId, outbox)
    return outbox
  }

  #submitted(peer: Peer, sequence: number, message: ShortMessage): void {
    const outcome = outcomeOf(message.destination.digits)
    const answer = (status: number, messageId = '') =>
      peer.write(encodeMessageResponse(COMMAND.submitSm, sequence, status, { messageId }))
    if (!this.#pace.take()) {
      this.#counts.throttled++
      answer(STATUS.throttled)
    } else if (outcome.status !== STATUS.ok) {
      this.#counts.refused++
      this.#after(this.#options.answerMs, () => answer(outcome.status))
    } else this.#take(peer, message, outcome, (id) => answer(STATUS.ok, id))
  }

  #take(peer: Peer, message: ShortMessage, outcome: Outcome, answer: (id: string) => void): void {
    const { clock, ids, answerMs, delayMs, receiptFirst, onSubmit } = this.#options
    const number = ++this.#lastId
    const id = ids === 'decimal' ? String(number) : number.toString(16)
    const submitted = this.#describe(peer, message, id)
    this.#counts.taken++
    if (submitted.times > 1) this.#counts.repeated++
    onSubmit(submitted)
    const submittedAt = clock.now()
    const finalAt = submittedAt + answerMs + delayMs
    this.#messages.keep(id, { source: submitted.source, state: outcome.states.at(-1), finalAt })

    const respond = this.#responseTo(peer, () => answer(id))
    const isTold = (message.registeredDelivery & 0x03) !== 0 && !this.#happens(this.#options.forgetPercent)
    const tell = () =>
      isTold && this.#sendReceipts(submitted, outcome, ids === 'hex' ? id : String(number), submittedAt)
    if (receiptFirst) {
      this.#after(answerMs + delayMs, () => {
        tell()
        respond()
      })
      return
    }
    this.#after(answerMs, () => {
      respond()
      this.#after(delayMs, tell)
    })
  }

  #responseTo(peer: Peer, answer: () => void): () => void {
    if (this.#happens(this.#options.hangupPercent)) return () => peer.hangUp()
    return this.#happens(this.#options.silentPercent) ? () => {} : answer
  }

  #happens(percent: number): boolean {
    return percent > 0 && this.#options.random() * 100 < percent
  }

  #describe({ systemId }: Peer, given: ShortMessage, id: string): Submitted {
    const { text, part } = readText(given)
    const source = given.source.digits
    const destination = given.destination.digits
    const times = this.#messages.count([systemId, source, destination, part?.number, text].join('\n'))
    // The PDU's buffer is used again.
    const message = { ...given, body: Buffer.from(given.body) }
    return { systemId, id, source, destination, text, part, message, times }
  }

  #sendReceipts(submitted: Submitted, { states }: Outcome, id: string, submittedAt: number): void {
    const { receipts: form, clock } = this.#options
    if (form === 'none') return
    const { systemId, message, text: excerpt } = submitted
    for (const state of states) {
      this.#outboxOf(systemId).post(
        writeReceipt({ message, id, state, form, submittedAt, doneAt: clock.now(), excerpt }),
      )
    }
  }

  #asked(peer: Peer, { sequence, messageId, source }: Extract<Pdu, { kind: 'query_sm' }>): void {
    const found = this.#messages.find(messageId)
    const isTheirs = found !== undefined && found.source === source.digits
    const final = found && this.#options.clock.now() >= found.finalAt ? found.state : undefined
    const state = STATES[final ?? 'enroute'].number
    const status = isTheirs ? STATUS.ok : STATUS.queryFailed
    peer.write(encodeQueryResponse(sequence, status, { messageId, finalDate: '', state }))
  }

  #after(delayMs: number, work: () => void): void {
    if (delayMs === 0) {
      work()
      return
    }
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(cancel)
      work()
    })
    this.#timers.add(cancel)
  }
}
