import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { Client } from 'undici'
import type { Guard } from './address-guard.ts'
import { BlockedAddress } from './checked-lookup.ts'
import { type Failed, failedBefore } from './port.ts'

/** Carries one request at a time. */
export interface Connection {
  origin: string
  client: Client
  /** The client opens another one when it finds this one closed before it has written anything. */
  socket: Socket | undefined
  /** The remote address of the socket; empty before it is connected. */
  address: string
  /** Whether the socket has carried a request. */
  used: boolean
}

/** The destination of a request, parsed once so that no later step reads the URL differently. */
export interface Target {
  kind: 'target'
  secure: boolean
  origin: string
  /** An IPv6 literal has no brackets here. */
  host: string
  port: number
  path: string
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
export class ConnectionPool {
  readonly #guard: Guard
  readonly #lookup: LookupFunction
  readonly #maxSockets: number
  readonly #all = new Set<Connection>()
  /** By origin, the last used one last. */
  readonly #idle = new Map<string, Connection[]>()
  readonly #sessions = new Map<string, Buffer>()
  #sockets = 0

  constructor(guard: Guard, lookup: LookupFunction, maxSockets: number) {
    this.#guard = guard
    this.#lookup = lookup
    this.#maxSockets = maxSockets
  }

  /** A kept connection, or a new one. */
  take(target: Target): Connection {
    const kept = this.#idle.get(target.origin)?.at(-1)
    if (kept === undefined) return this.open(target)
    this.#leaveIdle(kept)
    return kept
  }

  /** A new connection, for a request that found a kept one closed. */
  open(target: Target): Connection {
    const client = new Client(target.origin, {
      connect: (_where, callback) => this.#dial(target, connection, callback),
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
    this.#all.add(connection)
    client.on('disconnect', () => {
      if (this.#leaveIdle(connection)) void this.discard(connection)
    })
    return connection
  }

  /** Keeps a connection for the next request, if it can carry one. */
  giveBack(connection: Connection): void {
    const { origin, socket } = connection
    // A receiver may answer before it has read the whole request.
    if (!this.#all.has(connection) || socket === undefined || socket.destroyed || socket.writableLength > 0) {
      void this.discard(connection)
      return
    }
    const kept = this.#idle.get(origin)
    if (kept) kept.push(connection)
    else this.#idle.set(origin, [connection])
  }

  /** Fails the request that it carries. Resolves when it is closed. */
  async discard(connection: Connection): Promise<void> {
    this.#all.delete(connection)
    const closed = connection.client.destroy(new Error('the connection was closed'))
    // The client knows of no socket that is not connected yet.
    connection.socket?.destroy()
    await closed
  }

  close(): void {
    this.#idle.clear()
    for (const connection of this.#all) void this.discard(connection)
  }

  #dial(
    target: Target,
    connection: Connection,
    callback: (...result: [null, Socket] | [Error, null]) => void,
  ): void {
    if (this.#sockets >= this.#maxSockets) this.#closeOneIdle()
    const socket = this.#openSocket(target)
    this.#sockets += 1
    Object.assign(connection, { socket, address: '', used: false })
    socket.once('close', () => {
      this.#sockets -= 1
    })
    // Runs before Node's own listener, which starts the TLS handshake.
    socket.prependOnceListener('connect', () => {
      connection.address = socket.remoteAddress ?? ''
      const refusal = this.#guard.check(connection.address)
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

  #openSocket({ secure, host, port, origin }: Target): Socket {
    const lookup = this.#lookup
    const where = { host, port, lookup, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS, noDelay: true }
    if (!secure) return connect(where)
    const session = this.#sessions.get(origin)
    const socket = connectSecurely({
      ...where,
      // Explicit, because an environment variable can disable verification for the whole process.
      rejectUnauthorized: true,
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
    })
    socket.on('session', (made) => this.#keepSession(origin, made))
    return socket
  }

  #keepSession(origin: string, session: Buffer): void {
    this.#sessions.delete(origin)
    this.#sessions.set(origin, session)
    const [oldest] = this.#sessions.keys()
    if (oldest !== undefined && this.#sessions.size > MOST_SESSIONS) this.#sessions.delete(oldest)
  }

  #leaveIdle(connection: Connection): boolean {
    const kept = this.#idle.get(connection.origin)
    const at = kept?.lastIndexOf(connection) ?? -1
    if (kept === undefined || at === -1) return false
    kept.splice(at, 1)
    if (kept.length === 0) this.#idle.delete(connection.origin)
    return true
  }

  #closeOneIdle(): void {
    for (const [oldest] of this.#idle.values()) {
      if (oldest === undefined || !this.#leaveIdle(oldest)) continue
      void this.discard(oldest)
      return
    }
  }
}

/**
 * Parses a client's URL. The WHATWG parser normalizes every spelling of an IPv4 address (octal, hex, short,
 * full-width), so the literal that is checked is the one connected to.
 */
export function readTarget(text: string, guard: Guard): Target | Failed {
  const url = URL.parse(text)
  if (url === null) return failedBefore('invalid_url', 'the URL cannot be parsed')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return failedBefore('invalid_url', `expected http: or https:, got ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') {
    return failedBefore('invalid_url', 'the URL must not hold a user name or password')
  }
  // Node would read port 0 as "the default port".
  if (url.port === '0') return failedBefore('invalid_url', 'port 0 cannot be connected to')

  const secure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  // Node skips the look-up hook for a literal, so this is the only check before it connects.
  const refusal = isIP(host) === 0 ? undefined : guard.check(host)
  if (refusal !== undefined) return failedBefore('blocked_address', `the host is ${refusal}`)
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const { origin, pathname, search } = url
  return { kind: 'target', secure, origin, host, port, path: `${pathname}${search}` }
}
