import type { Socket } from 'node:net'
import { TornPdu } from '../codec/bytes.ts'
import { decode, headerOf } from '../codec/decode.ts'
import { encodeBare } from '../codec/encode.ts'
import { BrokenStream, Frames } from '../codec/frames.ts'
import { COMMAND, type Pdu, RESPONSE } from '../codec/pdu.ts'
import { STATUS } from '../status.ts'

/** A peer that reads none of our answers is cut off before they fill the memory. */
const MOST_UNREAD = 4 * 1024 * 1024

/** How long what was written last may take to leave. */
const LAST_WORDS_MS = 5_000

export interface ConnectionEvents {
  /** Buffers in the PDU are valid during the call alone. */
  onPdu(pdu: Pdu): void
  /** All PDUs that came together have been taken. */
  onRead?(): void
  /** Called once, for whatever reason the connection is over. */
  onEnd(why: string): void
}

/** PDUs over a socket, for either side. Answers what cannot be read or is unknown, and hands over everything else. */
export class Connection {
  readonly #socket: Socket
  readonly #events: ConnectionEvents
  readonly #frames = new Frames((frame) => {
    if (this.#isOpen) this.#read(frame)
  })
  #isOpen = true
  #isCorked = false

  constructor(socket: Socket, events: ConnectionEvents) {
    this.#socket = socket
    this.#events = events
    socket.setNoDelay(true)
    socket.on('data', (bytes) => this.#hear(bytes))
    socket.on('drain', () => this.#wasRead())
    // An error carries no data of ours: Node names the call, the code and the address.
    socket.on('error', (error) => this.#over(reasonOf(error)))
    socket.on('close', () => this.#over('the other side closed the connection'))
  }

  get open(): boolean {
    return this.#isOpen
  }

  /** The socket's buffer is full. `onRead` is called when it has room again. */
  get full(): boolean {
    return this.#socket.writableNeedDrain
  }

  /** PDUs of one turn of the event loop leave together: each packet costs a system call. */
  write(pdu: Buffer): void {
    if (!this.#isOpen) return
    this.#cork()
    this.#socket.write(pdu)
    if (this.#socket.writableLength > MOST_UNREAD) this.end('the other side does not read')
  }

  /** Ends the connection at once. */
  end(why: string): void {
    this.#socket.destroy()
    this.#over(why)
  }

  /** Ends it after what was written has left. */
  finish(why: string): void {
    this.#socket.setTimeout(LAST_WORDS_MS, () => this.#socket.destroy())
    this.#socket.destroySoon()
    this.#over(why)
  }

  #hear(bytes: Buffer): void {
    if (!this.#isOpen) return
    try {
      this.#frames.read(bytes)
    } catch (error) {
      if (!(error instanceof BrokenStream)) throw error
      this.write(encodeBare(COMMAND.genericNack, 0, STATUS.invalidLength))
      this.finish(error.message)
    }
    this.#wasRead()
  }

  #wasRead(): void {
    if (this.#isOpen) this.#events.onRead?.()
  }

  #read(frame: Buffer): void {
    const { command, sequence } = headerOf(frame)
    try {
      const pdu = decode(frame)
      if (pdu.kind === 'unknown') this.#refuse(command, sequence, STATUS.invalidCommand)
      else this.#events.onPdu(pdu)
    } catch (error) {
      if (!(error instanceof TornPdu)) throw error
      this.#refuse(command, sequence, STATUS.invalidLength)
    }
  }

  #refuse(command: number, sequence: number, status: number): void {
    // A response is never answered.
    if (command < RESPONSE) this.write(encodeBare(COMMAND.genericNack, sequence, status))
  }

  #over(why: string): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#events.onEnd(why)
  }

  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#socket.cork()
    process.nextTick(() => {
      this.#isCorked = false
      this.#socket.uncork()
    })
  }
}

/** A refused connection is an AggregateError without a message; OpenSSL's message is a line of its internals. */
function reasonOf(error: Error): string {
  if ('reason' in error) return `TLS: ${error.reason}`
  return error.message || ('code' in error ? String(error.code) : error.name)
}
