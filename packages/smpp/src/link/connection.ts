import type { Socket } from 'node:net'
import { TornPdu } from '../codec/bytes.ts'
import { decode, headerOf } from '../codec/decode.ts'
import { encodeBare } from '../codec/encode.ts'
import { BrokenStream, createFrames } from '../codec/frames.ts'
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

/** PDUs over a socket, for either side. */
export interface Connection {
  readonly open: boolean
  /** The socket's buffer is full. `onRead` is called when it has room again. */
  readonly full: boolean
  /** PDUs of one turn of the event loop leave together: each packet costs a system call. */
  write(pdu: Buffer): void
  /** Ends the connection at once. */
  end(why: string): void
  /** Ends it after what was written has left. */
  finish(why: string): void
}

/** Answers what cannot be read or is unknown, and hands over everything else. */
export function createConnection(socket: Socket, events: ConnectionEvents): Connection {
  let open = true
  let isCorked = false
  const take = createFrames((frame) => {
    if (open) read(frame)
  })

  function read(frame: Buffer): void {
    const { command, sequence } = headerOf(frame)
    try {
      const pdu = decode(frame)
      if (pdu.kind === 'unknown') refuse(command, sequence, STATUS.invalidCommand)
      else events.onPdu(pdu)
    } catch (error) {
      if (!(error instanceof TornPdu)) throw error
      refuse(command, sequence, STATUS.invalidLength)
    }
  }

  function refuse(command: number, sequence: number, status: number): void {
    // A response is never answered.
    if (command < RESPONSE) connection.write(encodeBare(COMMAND.genericNack, sequence, status))
  }

  function over(why: string): void {
    if (!open) return
    open = false
    events.onEnd(why)
  }

  function cork(): void {
    if (isCorked) return
    isCorked = true
    socket.cork()
    process.nextTick(uncork)
  }

  function uncork(): void {
    isCorked = false
    socket.uncork()
  }

  const connection: Connection = {
    get open() {
      return open
    },
    get full() {
      return socket.writableNeedDrain
    },
    write(pdu) {
      if (!open) return
      cork()
      socket.write(pdu)
      if (socket.writableLength > MOST_UNREAD) connection.end('the other side does not read')
    },
    end(why) {
      socket.destroy()
      over(why)
    },
    finish(why) {
      socket.setTimeout(LAST_WORDS_MS, () => socket.destroy())
      socket.destroySoon()
      over(why)
    },
  }

  socket.setNoDelay(true)
  socket.on('data', (bytes) => {
    if (!open) return
    try {
      take(bytes)
    } catch (error) {
      if (!(error instanceof BrokenStream)) throw error
      connection.write(encodeBare(COMMAND.genericNack, 0, STATUS.invalidLength))
      connection.finish(error.message)
    }
    if (open) events.onRead?.()
  })
  socket.on('drain', () => {
    if (open) events.onRead?.()
  })
  // An error carries no data of ours: Node names the call, the code and the address.
  socket.on('error', (error) => over(reasonOf(error)))
  socket.on('close', () => over('the other side closed the connection'))
  return connection
}

/** A refused connection is an AggregateError without a message; OpenSSL's message is a line of its internals. */
function reasonOf(error: Error): string {
  if ('reason' in error) return `TLS: ${error.reason}`
  return error.message || ('code' in error ? String(error.code) : error.name)
}
