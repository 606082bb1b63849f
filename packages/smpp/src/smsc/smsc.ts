import { createServer } from 'node:net'
import { type Clock, systemClock } from '@wigwag/contract'
import { encodeMessageResponse, encodeQueryResponse } from '../codec/encode.ts'
import { COMMAND, type Pdu, type ShortMessage } from '../codec/pdu.ts'
import { createPace } from '../link/pace.ts'
import { STATUS } from '../status.ts'
import { createMessages } from './messages.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { type Peer, servePeer } from './peer.ts'
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

/** A carrier for tests, while it runs. */
export interface Smsc {
  readonly port: number
  counts(): { taken: number; refused: number; throttled: number; repeated: number }
  /** Drops all connections, and goes on listening. */
  hangUp(): void
  close(): Promise<void>
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
  const options = { ...DEFAULTS, ...given }
  const { clock } = options
  const pace = createPace({ tps: options.tps, burst: options.tps, elapsed: clock.elapsed })
  const peers = new Set<Peer>()
  const outboxes = new Map<string, Outbox>()
  const messages = createMessages()
  const timers = new Set<() => void>()
  const counts = { taken: 0, refused: 0, throttled: 0, repeated: 0 }
  // Begins at the time, so that a restart does not repeat IDs.
  let lastId = clock.now() * 1_000

  function after(delayMs: number, work: () => void): void {
    if (delayMs === 0) {
      work()
      return
    }
    const cancel = clock.after(delayMs, () => {
      timers.delete(cancel)
      work()
    })
    timers.add(cancel)
  }

  function outboxOf(systemId: string): Outbox {
    const outbox = outboxes.get(systemId) ?? createOutbox({ clock, againMs: options.againMs })
    outboxes.set(systemId, outbox)
    return outbox
  }

  function happens(percent: number): boolean {
    return percent > 0 && options.random() * 100 < percent
  }

  function onSubmit(peer: Peer, sequence: number, given: ShortMessage): void {
    const outcome = outcomeOf(given.destination.digits)
    const answer = (status: number, messageId = '') =>
      peer.write(encodeMessageResponse(COMMAND.submitSm, sequence, status, { messageId }))
    if (!pace.take()) {
      counts.throttled++
      answer(STATUS.throttled)
    } else if (outcome.status !== STATUS.ok) {
      counts.refused++
      after(options.answerMs, () => answer(outcome.status))
    } else take(peer, given, outcome, (id) => answer(STATUS.ok, id))
  }

  function take(peer: Peer, given: ShortMessage, outcome: Outcome, answer: (id: string) => void): void {
    const number = ++lastId
    const id = options.ids === 'decimal' ? String(number) : number.toString(16)
    const submitted = describe(peer, given, id)
    counts.taken++
    if (submitted.times > 1) counts.repeated++
    options.onSubmit(submitted)
    const submittedAt = clock.now()
    const finalAt = submittedAt + options.answerMs + options.delayMs
    messages.keep(id, { source: submitted.source, state: outcome.states.at(-1), finalAt })

    const respond = happens(options.hangupPercent)
      ? peer.hangUp
      : happens(options.silentPercent)
        ? () => {}
        : () => answer(id)
    const isTold = (given.registeredDelivery & 0x03) !== 0 && !happens(options.forgetPercent)
    const tell = () =>
      isTold && sendReceipts(submitted, outcome, options.ids === 'hex' ? id : String(number), submittedAt)
    const { answerMs, delayMs } = options
    if (options.receiptFirst) {
      after(answerMs + delayMs, () => {
        tell()
        respond()
      })
      return
    }
    after(answerMs, () => {
      respond()
      after(delayMs, tell)
    })
  }

  function describe({ systemId }: Peer, given: ShortMessage, id: string): Submitted {
    const { text, part } = readText(given)
    const source = given.source.digits
    const destination = given.destination.digits
    const times = messages.count([systemId, source, destination, part?.number, text].join('\n'))
    // The PDU's buffer is used again.
    const message = { ...given, body: Buffer.from(given.body) }
    return { systemId, id, source, destination, text, part, message, times }
  }

  function sendReceipts(submitted: Submitted, { states }: Outcome, id: string, submittedAt: number): void {
    const { receipts: form } = options
    if (form === 'none') return
    const { systemId, message, text: excerpt } = submitted
    for (const state of states) {
      outboxOf(systemId).post(
        writeReceipt({ message, id, state, form, submittedAt, doneAt: clock.now(), excerpt }),
      )
    }
  }

  function onQuery(peer: Peer, { sequence, messageId, source }: Extract<Pdu, { kind: 'query_sm' }>): void {
    const found = messages.find(messageId)
    const isTheirs = found !== undefined && found.source === source.digits
    const final = found && clock.now() >= found.finalAt ? found.state : undefined
    const state = STATES[final ?? 'enroute'].number
    const status = isTheirs ? STATUS.ok : STATUS.queryFailed
    peer.write(encodeQueryResponse(sequence, status, { messageId, finalDate: '', state }))
  }

  const server = createServer((socket) => {
    const peer = servePeer(socket, {
      onBind: ({ password }) =>
        options.password === undefined || options.password === password ? STATUS.ok : STATUS.invalidPassword,
      onSubmit,
      onQuery,
      outboxOf,
      onEnd: (ended) => peers.delete(ended),
    })
    peers.add(peer)
  })
  server.maxConnections = MOST_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const address = server.address()

  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    counts: () => ({ ...counts }),
    hangUp() {
      for (const peer of peers) peer.hangUp()
    },
    async close() {
      for (const cancel of timers) cancel()
      for (const outbox of outboxes.values()) outbox.close()
      const closed = new Promise((resolve) => server.close(resolve))
      for (const peer of peers) peer.unbind()
      await closed
    },
  }
}
