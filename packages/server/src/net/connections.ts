import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type LookupFunction, Socket } from 'node:net'
import type { AddressGuard } from './address-guard.ts'
import { BlockedAddress } from './checked-lookup.ts'

/** `connected`: the other end answered. `ready`: a request may be written, so TLS is done if there is any. */
type Progress = 'connecting' | 'connected' | 'ready'

export interface Connections {
  agentFor(secure: boolean): HttpAgent
  progressOf(socket: Socket): Progress
  close(): void
}

export interface ConnectionsOptions {
  guard: AddressGuard
  lookup: LookupFunction
  keepAlive: boolean
  maxSockets: number
}

/** Receivers commonly close an idle connection after 5 s; closing first, we seldom meet a closed one. */
const IDLE_MS = 4_000

/** Node gives up on the first of several addresses after 250 ms, less than a far receiver needs to answer. */
const NEXT_ADDRESS_AFTER_MS = 1_000

/**
 * Opens and keeps the connections. Each one is checked against the guard the moment it is connected, ahead
 * of a TLS greeting, because where a socket ended up is the only fact: everything before it is intention.
 */
export function createConnections(options: ConnectionsOptions): Connections {
  const progress = new WeakMap<Socket, Progress>()
  const settings = {
    keepAlive: options.keepAlive,
    lookup: options.lookup,
    timeout: IDLE_MS,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  }
  const agents = {
    plain: new HttpAgent(settings),
    // Named, because an environment variable can switch verification off for the whole process.
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
    // Ahead of Node's own listener, which starts the TLS handshake.
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
