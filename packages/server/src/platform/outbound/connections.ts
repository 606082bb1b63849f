import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import Client from 'undici/lib/dispatcher/client.js'
import type { AddressGuard } from './address-guard.ts'
import { BlockedAddress } from './checked-lookup.ts'
import type { Target } from './target.ts'

/** Carries one request at a time. */
export interface Connection {
  origin: string
  client: Client
  /** The client opens another one when it finds this one closed before it has written anything. */
  socket: Socket | undefined
  /** What the socket is connected to; empty before it is. */
  address: string
  /** Whether the socket has carried a request. */
  used: boolean
}

export interface Connections {
  /** A kept connection, or a new one. */
  take(target: Target): Connection
  /** A new connection, for a request that found a kept one closed. */
  open(target: Target): Connection
  /** Keeps a connection for the next request, if it can carry one. */
  giveBack(connection: Connection): void
  /** Fails the request that it carries. Resolves when it is closed. */
  discard(connection: Connection): Promise<void>
  close(): void
}

export interface ConnectionsOptions {
  guard: AddressGuard
  lookup: LookupFunction
  maxSockets: number
}

const MAX_REPLY_HEADER_BYTES = 16 * 1024

/**
 * Receivers commonly close an idle socket after 5 s. We close first, so that we rarely reuse a closed one; sooner still
 * by as much, if a receiver says that it keeps one for less.
 */
const IDLE_MS = 4_000
const CLOSED_FIRST_BY_MS = 1_000

/** Node's default of 250 ms is too short for a distant receiver to accept a connection. */
const NEXT_ADDRESS_AFTER_MS = 1_000

/** TLS sessions of so many receivers are kept: a handshake that resumes one is cheaper. */
const MOST_SESSIONS = 100

/**
 * Opens and keeps connections. The guard checks each socket's actual address as soon as it is connected, before any TLS
 * handshake: earlier checks only see where it was meant to connect.
 */
export function createConnections({ guard, lookup, maxSockets }: ConnectionsOptions): Connections {
  const all = new Set<Connection>()
  /** By origin, the last used one last. */
  const idle = new Map<string, Connection[]>()
  const sessions = new Map<string, Buffer>()
  let sockets = 0

  function open(target: Target): Connection {
    const client = new Client(target.origin, {
      connect: (_where, callback) => dial(target, connection, callback),
      pipelining: 1,
      maxHeaderSize: MAX_REPLY_HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      keepAliveTimeoutThreshold: CLOSED_FIRST_BY_MS,
      // A request has one deadline for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const { origin } = target
    const connection: Connection = { origin, client, socket: undefined, address: '', used: false }
    all.add(connection)
    client.on('disconnect', () => {
      if (leaveIdle(connection)) void discard(connection)
    })
    return connection
  }

  function dial(
    target: Target,
    connection: Connection,
    callback: (...result: [null, Socket] | [Error, null]) => void,
  ): void {
    if (sockets >= maxSockets) closeOneIdle()
    const socket = openSocket(target)
    sockets += 1
    Object.assign(connection, { socket, address: '', used: false })
    socket.once('close', () => {
      sockets -= 1
    })
    // Runs before Node's own listener, which starts the TLS handshake.
    socket.prependOnceListener('connect', () => {
      connection.address = socket.remoteAddress ?? ''
      const refusal = guard.check(connection.address)
      if (refusal !== undefined) socket.destroy(new BlockedAddress(`the connected address is ${refusal}`))
    })
    const fail = (error: Error) => callback(error, null)
    socket.once('error', fail)
    socket.once(target.secure ? 'secureConnect' : 'connect', () => {
      if (socket.destroyed) return
      socket.off('error', fail)
      callback(null, socket)
    })
  }

  function openSocket({ secure, host, port, origin }: Target): Socket {
    const where = { host, port, lookup, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS, noDelay: true }
    if (!secure) return connect(where)
    const session = sessions.get(origin)
    const socket = connectSecurely({
      ...where,
      // Explicit, because an environment variable can disable verification for the whole process.
      rejectUnauthorized: true,
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
    })
    socket.on('session', (made) => keepSession(origin, made))
    return socket
  }

  function keepSession(origin: string, session: Buffer): void {
    sessions.delete(origin)
    sessions.set(origin, session)
    const [oldest] = sessions.keys()
    if (oldest !== undefined && sessions.size > MOST_SESSIONS) sessions.delete(oldest)
  }

  function take(target: Target): Connection {
    const kept = idle.get(target.origin)?.at(-1)
    if (kept === undefined) return open(target)
    leaveIdle(kept)
    return kept
  }

  function giveBack(connection: Connection): void {
    const { origin, socket } = connection
    // A receiver may answer before it has read the whole request.
    if (!all.has(connection) || socket === undefined || socket.destroyed || socket.writableLength > 0) {
      void discard(connection)
      return
    }
    const kept = idle.get(origin)
    if (kept) kept.push(connection)
    else idle.set(origin, [connection])
  }

  function leaveIdle(connection: Connection): boolean {
    const kept = idle.get(connection.origin)
    const at = kept?.lastIndexOf(connection) ?? -1
    if (kept === undefined || at === -1) return false
    kept.splice(at, 1)
    if (kept.length === 0) idle.delete(connection.origin)
    return true
  }

  function closeOneIdle(): void {
    for (const [oldest] of idle.values()) {
      if (oldest === undefined || !leaveIdle(oldest)) continue
      void discard(oldest)
      return
    }
  }

  async function discard(connection: Connection): Promise<void> {
    all.delete(connection)
    const closed = connection.client.destroy(new Error('the connection was closed'))
    // The client knows of no socket that is not connected yet.
    connection.socket?.destroy()
    await closed
  }

  function close(): void {
    idle.clear()
    for (const connection of all) void discard(connection)
  }

  return { take, open, giveBack, discard, close }
}
