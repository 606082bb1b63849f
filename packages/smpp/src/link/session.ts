import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock } from '@wigwag/contract'
import { encodeBare, encodeBind } from '../codec/encode.ts'
import { type Bind, COMMAND, type Pdu, RESPONSE } from '../codec/pdu.ts'
import { nameOf } from '../status.ts'
import { type Connection, createConnection } from './connection.ts'

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

/** One bound connection, from dialing to its end: binds, answers and sends enquire_link, and unbinds. */
export interface Session {
  readonly full: boolean
  nextSequence(): number
  write(pdu: Buffer): void
  end(why: string): void
  /** Tells the peer, waits for its answer, and ends. */
  unbind(withinMs: number): Promise<void>
}

const LAST_SEQUENCE = 0x7fff_ffff

export function openSession(options: SessionOptions, events: SessionEvents): Session {
  const { endpoint, bind, clock, enquireMs, responseMs } = options
  let sequence = 0
  let bound = false
  let heardAt = clock.elapsed()
  let unbound: (() => void) | undefined
  const socket = dial(endpoint, () => connection.write(encodeBind(bind, nextSequence())))
  const connection: Connection = createConnection(socket, {
    onPdu: hear,
    onRead: () => bound && events.onRead(),
    onEnd(why) {
      stopTimer()
      unbound?.()
      events.onEnd(why)
    },
  })
  let stopTimer = clock.after(responseMs, () =>
    connection.end(`no answer to the bind within ${responseMs} ms`),
  )

  function nextSequence(): number {
    sequence = sequence === LAST_SEQUENCE ? 1 : sequence + 1
    return sequence
  }

  function hear(pdu: Pdu): void {
    heardAt = clock.elapsed()
    if (!bound) {
      hearFirst(pdu)
      return
    }
    switch (pdu.kind) {
      case 'enquire_link':
        connection.write(encodeBare(COMMAND.enquireLink + RESPONSE, pdu.sequence))
        break
      case 'unbind':
        connection.write(encodeBare(COMMAND.unbind + RESPONSE, pdu.sequence))
        connection.finish('the carrier unbound')
        break
      case 'unbind_resp':
        unbound?.()
        break
      default:
        events.onPdu(pdu)
    }
  }

  function hearFirst(pdu: Pdu): void {
    if (pdu.kind !== 'bind_resp' && pdu.kind !== 'generic_nack') return
    if (pdu.kind === 'generic_nack' || pdu.status !== 0) {
      connection.end(`the carrier refused the bind: ${nameOf(pdu.status)}`)
      return
    }
    bound = true
    stopTimer()
    stopTimer = clock.after(enquireMs, watch)
    events.onBound()
  }

  /** Asks for a sign of life when the peer was quiet, and gives up when there is none. */
  function watch(): void {
    const quiet = clock.elapsed() - heardAt
    if (quiet >= enquireMs + responseMs) {
      connection.end('no sign of life from the carrier')
      return
    }
    if (quiet >= enquireMs) connection.write(encodeBare(COMMAND.enquireLink, nextSequence()))
    const next = quiet >= enquireMs ? Math.min(enquireMs, enquireMs + responseMs - quiet) : enquireMs - quiet
    stopTimer = clock.after(Math.max(1, next), watch)
  }

  return {
    get full() {
      return connection.full
    },
    nextSequence,
    write: connection.write,
    end: connection.end,
    async unbind(withinMs) {
      if (bound && connection.open) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(withinMs, resolve)
          unbound = () => {
            cancel()
            resolve()
          }
          connection.write(encodeBare(COMMAND.unbind, nextSequence()))
        })
      }
      connection.end('unbound')
    },
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
