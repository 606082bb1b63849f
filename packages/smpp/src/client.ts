import { type Clock, systemClock } from '@wigwag/contract'
import type { Address, ShortMessage } from './codec/pdu.ts'
import { Link } from './link/link.ts'
import type { LinkState, QueryAnswer } from './link/link-options.ts'
import { Pace } from './link/pace.ts'
import { type DeliveryReceipt, readInbound } from './receipt.ts'
import { alphabetOf, type LongForm, senderKindOf, shortMessagesOf } from './short-messages.ts'
import type { Answer, StatusKind } from './status.ts'
import { type Alphabet, decodeText, isUcs2 } from './text.ts'

export interface ClientOptions {
  host: string
  /** 2775, or 3550 with TLS, when left out. */
  port?: number
  tls?: boolean
  systemId: string
  password: string
  systemType?: string
  /** A transceiver when left out: it sends, and receives receipts and messages. */
  bind?: 'transceiver' | 'transmitter' | 'receiver'
  version?: '3.4' | '5.0'
  /** Requests without an answer at a time; 10 when left out. */
  window?: number
  /** Short messages a second; no limit when left out. */
  tps?: number
  /** The carrier's meaning of data_coding 0, GSM 03.38 when left out. Text that it can't write goes as UCS-2. */
  alphabet?: Alphabet
  /** How long texts are split, with a header in the text when left out. */
  long?: LongForm
  /** The meaning of statuses where the carrier differs from the standard. */
  statuses?: ReadonlyMap<number, StatusKind>
  /** The carrier is asked for a sign of life after this long without one; 30 s when left out. */
  enquireMs?: number
  /** How long an answer may take; 10 s when left out. */
  responseMs?: number
  /** The pause after the first failure to connect; 1 s when left out. Further failures double it, up to a minute. */
  reconnectMs?: number
  /** The first rest of a carrier that is too busy; 1 s when left out. Each further one doubles it, up to half a minute. */
  restMs?: number
  /** How long a text may wait for a connection, its turn and a busy carrier; 60 s when left out. */
  waitMs?: number
  /**
   * Called for each receipt. The carrier brings it again when this throws or rejects, so make sure that it is stored before
   * you return.
   */
  onReceipt?(receipt: ClientReceipt): void | Promise<void>
  /** Called for each message from a phone, as `onReceipt` is. */
  onMessage?(message: IncomingText): void | Promise<void>
  /** Called when the connection is there or gone. The reason contains no password. */
  onState?(state: LinkState, reason: string): void
  clock?: Clock
}

/** A receipt, with the number that its message went to. */
export interface ClientReceipt extends DeliveryReceipt {
  from: string
}

export interface IncomingText {
  from: string
  to: string
  text: string
}

export interface Text {
  /** A word of up to eleven characters, a short code, or a number. */
  from: string
  /** Digits, with the country's code. */
  to: string
  text: string
  flash?: boolean
  /** How long the carrier may try, in milliseconds. */
  validForMs?: number
}

/** The end of a text's way to the carrier, and the answer to each of its parts. */
export interface Sent {
  /**
   * `accepted`: every part was. `uncertain`: some part was written and not answered, so that sending again may send it
   * twice. Otherwise some part was certainly not taken, for the reason in its answer.
   */
  kind: Answer['kind']
  /** The carrier's ids of the parts that it took. Receipts name them. */
  ids: string[]
  answers: Answer[]
}

/** The number of parts is one octet in each of them. */
const MOST_PARTS = 255
const WORST_FIRST = ['uncertain', 'rejected', 'not_taken', 'later', 'accepted'] as const
/** PDUs may leave in bursts of a tenth of a second: carriers count in short spans. */
const BURSTS_A_SECOND = 10

/** A connection to a carrier that is kept up, with a window, a pace, long texts and receipts. */
export class SmppClient {
  readonly #link: Link
  readonly #clock: Clock
  readonly #options: ClientOptions
  readonly #waitMs: number
  #waiting: (() => void)[] = []
  #reference = Math.floor(Math.random() * 0x10000)

  constructor(options: ClientOptions) {
    const { clock = systemClock, tls = false, tps = 0 } = options
    this.#options = options
    this.#clock = clock
    this.#waitMs = options.waitMs ?? 60_000
    this.#link = new Link(
      {
        endpoint: { host: options.host, port: options.port ?? (tls ? 3550 : 2775), tls },
        bind: {
          kind: options.bind ?? 'transceiver',
          systemId: options.systemId,
          password: options.password,
          systemType: options.systemType ?? '',
          version: options.version === '5.0' ? 0x50 : 0x34,
        },
        window: options.window ?? 10,
        pace: new Pace({ tps, burst: tps / BURSTS_A_SECOND, elapsed: clock.elapsed }),
        statuses: options.statuses ?? new Map(),
        enquireMs: options.enquireMs ?? 30_000,
        responseMs: options.responseMs ?? 10_000,
        writtenWithinMs: this.#waitMs,
        reconnectMs: options.reconnectMs ?? 1_000,
        restMs: options.restMs ?? 1_000,
        clock,
        random: Math.random,
      },
      {
        onMessage: (message) => this.#hear(message),
        onState: () => {
          this.#options.onState?.(this.#link.state, this.#link.reason)
          this.#wake()
        },
        onCapacity: () => this.#wake(),
      },
    )
  }

  get state(): LinkState {
    return this.#link.state
  }

  /** Why it is not bound. */
  get reason(): string {
    return this.#link.reason
  }

  /** Sends a text, in as many parts as it needs. Waits for its turn, and again where the carrier is busy. Never rejects. */
  async send({ from, to, text, flash = false, validForMs }: Text): Promise<Sent> {
    const { alphabet = 'gsm', long = 'udh' } = this.#options
    const until = this.#clock.elapsed() + this.#waitMs
    if (text === '') return refused('expected a text of at least 1 character, got none')
    this.#reference = (this.#reference + 1) & 0xffff
    const parts = shortMessagesOf({
      source: addressOf(from),
      destination: { ton: 1, npi: 1, digits: to.replace(/^\+/, '') },
      text,
      alphabet: alphabetOf(text, alphabet),
      long,
      reference: this.#reference,
      serviceType: '',
      flash,
      validForMs,
    })
    if (parts.length > MOST_PARTS)
      return refused(`expected a text of at most ${MOST_PARTS} parts, got one of ${parts.length}`)
    const answers = await this.#submit(parts, until)
    const kind = WORST_FIRST.find((kind) => answers.some((answer) => answer.kind === kind)) ?? 'accepted'
    return { kind, ids: answers.flatMap((answer) => (answer.kind === 'accepted' ? answer.id : [])), answers }
  }

  /** Asks for the state of a message that was sent from `from`. Never rejects. */
  query(id: string, from: string): Promise<QueryAnswer> {
    return this.#link.query(id, addressOf(from))
  }

  /** Takes nothing more, waits for answers, and unbinds. */
  async close(withinMs = 5_000): Promise<void> {
    await this.#link.close(withinMs)
    this.#wake()
  }

  /** Sends parts one after the other. Parts not taken because the carrier is busy or away are sent again. */
  async #submit(parts: readonly ShortMessage[], until: number): Promise<Answer[]> {
    const answers: Answer[] = []
    let left = parts.map((_, index) => index)
    for (;;) {
      await this.#turn(until)
      const round = left.map(async (index, place) => {
        const part = parts[index]
        if (part) answers[index] = await this.#link.submit(part, () => {}, place > 0)
      })
      await Promise.all(round)
      left = left.filter((index) => answers[index]?.kind === 'later')
      if (left.length === 0 || this.#isOver(until)) return answers
    }
  }

  #isOver(until: number): boolean {
    return this.#link.state === 'closed' || this.#clock.elapsed() >= until
  }

  /** Resolves when the link can take more, and not later than when it is over. */
  async #turn(until: number): Promise<void> {
    while (this.#link.capacity() === 0 && !this.#isOver(until)) {
      await new Promise<void>((resolve) => {
        const go = () => {
          cancel()
          resolve()
        }
        // Gone from the line, or it would be woken in place of one that still waits.
        const giveUp = () => {
          this.#waiting.splice(this.#waiting.indexOf(go), 1)
          resolve()
        }
        const cancel = this.#clock.after(until - this.#clock.elapsed(), giveUp)
        this.#waiting.push(go)
      })
    }
  }

  /** Wakes as many as the link can take, in the order in which they came; all of them when it is closed. */
  #wake(): void {
    const count = this.#link.state === 'closed' ? this.#waiting.length : this.#link.capacity()
    for (const go of this.#waiting.splice(0, count)) go()
  }

  async #hear(message: ShortMessage): Promise<void> {
    const found = readInbound(message)
    switch (found.kind) {
      case 'receipt':
        await this.#options.onReceipt?.({ ...found.receipt, from: message.source.digits })
        return
      case 'message':
        await this.#options.onMessage?.(incoming(message, this.#options.alphabet ?? 'gsm'))
        return
      case 'unreadable':
        // Cut off on its way, it may be whole the next time. Otherwise it would come again for ever.
        if (message.torn) throw new Error(found.why)
    }
  }
}

const NUMBERS = {
  alphanumeric: { ton: 5, npi: 0 },
  short: { ton: 3, npi: 0 },
  international: { ton: 1, npi: 1 },
} as const

function addressOf(sender: string): Address {
  const digits = sender.replace(/^\+(?=\d+$)/, '')
  return { ...NUMBERS[senderKindOf(digits)], digits }
}

function refused(reason: string): Sent {
  return { kind: 'rejected', ids: [], answers: [{ kind: 'rejected', reason }] }
}

function incoming({ source, destination, body, dataCoding }: ShortMessage, alphabet: Alphabet): IncomingText {
  const text = decodeText(body, isUcs2(dataCoding) ? 'ucs2' : alphabet)
  return { from: source.digits, to: destination.digits, text }
}
