import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type LookupFunction, Socket } from 'node:net'
import type { AddressGuard } from './address-guard.ts'
import { BlockedAddress } from './checked-lookup.ts'

/** `connected`: TCP is connected. `ready`: a request may be written; any TLS handshake is done. */
type Progress = 'connecting' | 'connected' | 'ready'

export interface Sockets {
  agentFor(secure: boolean): HttpAgent
  progressOf(socket: Socket): Progress
  close(): void
}

export interface SocketsOptions {
  guard: AddressGuard
  lookup: LookupFunction
  keepAlive: boolean
  maxSockets: number
}

/** Receivers commonly close an idle socket after 5 s. We close first, so that we rarely reuse a closed one. */
const IDLE_MS = 4_000

/** Node's default of 250 ms is too short for a distant receiver to accept a connection. */
const NEXT_ADDRESS_AFTER_MS = 1_000

/**
 * Opens and keeps sockets. The guard checks each socket's actual address as soon as it is connected, before any TLS
 * handshake: earlier checks only see where it was meant to connect.
 */
export function createSockets(options: SocketsOptions): Sockets {
  const progress = new WeakMap<Socket, Progress>()
  const settings = {
    keepAlive: options.keepAlive,
    lookup: options.lookup,
    timeout: IDLE_MS,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  }
  const agents = {
    plain: new HttpAgent(settings),
    // Explicit, because an environment variable can disable verification for the whole process.
    secure: new HttpsAgent({ ...settings, rejectUnauthorized: true }),
  }
  let open = 0

  guardNewSockets(agents.plain, 'connect')
  guardNewSockets(agents.secure, 'secureConnect')

  function guardNewSockets(agent: HttpAgent, readyEvent: 'connect' | 'secureConnect'): void {
    const connect = agent.createConnection.bind(agent)
    agent.createConnection = function connectGuarded(args: ClientRequestArgs, callback) {
      if (open >= options.maxSockets) closeOneIdle()
      const socket = connect(args, callback)
      if (!(socket instanceof Socket)) throw new TypeError('expected the agent to open a socket')
      watch(socket, readyEvent)
      return socket
    }
  }

  function watch(socket: Socket, readyEvent: string): void {
    open += 1
    progress.set(socket, 'connecting')
    socket.once('close', () => {
      open -= 1
    })
    // Runs before Node's own listener, which starts the TLS handshake.
    socket.prependOnceListener('connect', () => {
      progress.set(socket, 'connected')
      const refusal = options.guard.check(socket.remoteAddress ?? '')
      if (refusal !== undefined) socket.destroy(new BlockedAddress(`the connected address is ${refusal}`))
      else if (readyEvent === 'connect') progress.set(socket, 'ready')
    })
    if (readyEvent !== 'connect') socket.once(readyEvent, () => progress.set(socket, 'ready'))
  }

  function closeOneIdle(): void {
    const idle = Object.values(agents.plain.freeSockets).concat(Object.values(agents.secure.freeSockets))
    idle.find((sockets) => sockets !== undefined && sockets.length > 0)?.[0]?.destroy()
  }

  return {
    agentFor: (secure) => (secure ? agents.secure : agents.plain),
    progressOf: (socket) => progress.get(socket) ?? 'connecting',
    close() {
      agents.plain.destroy()
      agents.secure.destroy()
    },
  }
}
