import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock } from '@wigwag/contract'
import { encodeBare, encodeBind } from '../codec/encode.ts'
import { type Bind, COMMAND, type Pdu, RESPONSE } from '../codec/pdu.ts'
import { nameOf } from '../status.ts'
import { Connection } from './connection.ts'

export interface Endpoint {
  host: string
  port: number
  tls: boolean
}

export interface SessionOptions {
  endpoint: Endpoint
  bind: Bind
  /** Ask for a sign of life after this long without one. */
  enquireMs: number
  /** How long an answer may take, that to the bind included. */
  responseMs: number
  clock: Clock
}

export interface SessionEvents {
  onBound(): void
  /** A PDU that is not about the session itself. Buffers in it are valid during the call alone. */
  onPdu(pdu: Pdu): void
  /** All PDUs that came together have been taken, or the socket has room again. */
  onRead(): void
  /** Called once. The reason contains no password. */
  onEnd(why: string): void
}

const LAST_SEQUENCE = 0x7fff_ffff

/** One bound connection, from dialing to its end: binds, answers and sends enquire_link, and unbinds. */
export class Session {
  readonly #options: SessionOptions
  readonly #events: SessionEvents
  readonly #connection: Connection
  #sequence = 0
  #isBound = false
  #heardAt: number
  #stopTimer: () => void
  #onUnbound: (() => void) | undefined

  constructor(options: SessionOptions, events: SessionEvents) {
    const { endpoint, bind, clock, responseMs } = options
    this.#options = options
    this.#events = events
    this.#heardAt = clock.elapsed()
    const socket = dial(endpoint, () => this.write(encodeBind(bind, this.nextSequence())))
    this.#connection = new Connection(socket, {
      onPdu: (pdu) => this.#hear(pdu),
      onRead: () => this.#isBound && events.onRead(),
      onEnd: (why) => {
        this.#stopTimer()
        this.#onUnbound?.()
        events.onEnd(why)
      },
    })
    this.#stopTimer = clock.after(responseMs, () => this.end(`no answer to the bind within ${responseMs} ms`))
  }

  get full(): boolean {
    return this.#connection.full
  }

  nextSequence(): number {
    this.#sequence = this.#sequence === LAST_SEQUENCE ? 1 : this.#sequence + 1
    return this.#sequence
  }

  write(pdu: Buffer): void {
    this.#connection.write(pdu)
  }

  end(why: string): void {
    this.#connection.end(why)
  }

  /** Tells the peer, waits for its answer, and ends. */
  async unbind(withinMs: number): Promise<void> {
    if (this.#isBound && this.#connection.open) {
      await new Promise<void>((resolve) => {
        const cancel = this.#options.clock.after(withinMs, resolve)
        this.#onUnbound = () => {
          cancel()
          resolve()
        }
        this.write(encodeBare(COMMAND.unbind, this.nextSequence()))
      })
    }
    this.end('unbound')
  }

  #hear(pdu: Pdu): void {
    this.#heardAt = this.#options.clock.elapsed()
    if (!this.#isBound) {
      this.#hearFirst(pdu)
      return
    }
    switch (pdu.kind) {
      case 'enquire_link':
        this.write(encodeBare(COMMAND.enquireLink + RESPONSE, pdu.sequence))
        break
      case 'unbind':
        this.write(encodeBare(COMMAND.unbind + RESPONSE, pdu.sequence))
        this.#connection.finish('the carrier unbound')
        break
      case 'unbind_resp':
        this.#onUnbound?.()
        break
      default:
        this.#events.onPdu(pdu)
    }
  }

  #hearFirst(pdu: Pdu): void {
    if (pdu.kind !== 'bind_resp' && pdu.kind !== 'generic_nack') return
    if (pdu.kind === 'generic_nack' || pdu.status !== 0) {
      this.end(`the carrier refused the bind: ${nameOf(pdu.status)}`)
      return
    }
    this.#isBound = true
    this.#stopTimer()
    this.#watchAfter(this.#options.enquireMs)
    this.#events.onBound()
  }

  #watchAfter(ms: number): void {
    this.#stopTimer = this.#options.clock.after(ms, () => this.#watch())
  }

  /** Asks for a sign of life when the peer was quiet, and gives up when there is none. */
  #watch(): void {
    const { clock, enquireMs, responseMs } = this.#options
    const quiet = clock.elapsed() - this.#heardAt
    if (quiet >= enquireMs + responseMs) {
      this.end('no sign of life from the carrier')
      return
    }
    if (quiet >= enquireMs) this.write(encodeBare(COMMAND.enquireLink, this.nextSequence()))
    const next = quiet >= enquireMs ? Math.min(enquireMs, enquireMs + responseMs - quiet) : enquireMs - quiet
    this.#watchAfter(Math.max(1, next))
  }
}

function dial({ host, port, tls }: Endpoint, onConnect: () => void): Socket {
  if (!tls) return connectTcp({ host, port }, onConnect)
  // Verified whatever the environment says. An address has no name to ask for.
  return connectTls(
    { host, port, rejectUnauthorized: true, ...(isIP(host) === 0 && { servername: host }) },
    onConnect,
  )
}
