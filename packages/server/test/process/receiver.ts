import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { CallbackError, type CallbackPayload, verifyCallback } from '@wigwag/sdk'
import { chaos } from '../support/random.ts'

/** All deliveries of one callback. */
export interface Delivered {
  bodies: Set<string>
  attempts: number
  /** How many were answered with 2xx. */
  taken: number
  /** How often it is turned away. */
  refusals: number
  payload: CallbackPayload
}

export interface Receiver {
  url: string
  /** By webhook-id. */
  callbacks: ReadonlyMap<string, Delivered>
  /** Faults of deliveries. */
  faults: readonly string[]
  refused: number
  /** Deliveries that wait for an answer. */
  waiting: number
  /**
   * While silent, it takes deliveries and never answers. The end of the silence hangs up on those that wait.
   */
  silence(silent: boolean): void
  /** Answers every second waiting delivery. The others, and new ones, wait on. */
  takeSome(): void
  close(): Promise<void>
}

/**
 * A receiver that checks every signature. It turns some callbacks away, once or twice, with an error or by hanging up;
 * what comes again after that it takes.
 */
export async function openReceiver(
  secretOf: (payload: CallbackPayload) => string,
  refuse: number,
  /** The gateway's time, if it is not the machine's. Callbacks signed before a jump are turned away after it. */
  gatewaysNow?: () => number,
): Promise<Receiver> {
  const random = chaos(2)
  const callbacks = new Map<string, Delivered>()
  const faults: string[] = []
  const counts = { refused: 0 }
  /** With how to go on with each. */
  const waiting = new Map<ServerResponse, () => void>()
  let silent = false

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (silent) {
      await new Promise<void>((resolve) => {
        waiting.set(response, resolve)
        response.once('close', () => waiting.delete(response))
      })
      waiting.delete(response)
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const secret = secretOf(JSON.parse(body))
    const payload = await verifyCallback(
      { body, headers: request.headers },
      secret,
      gatewaysNow ? { now: gatewaysNow } : {},
    )
    const id = String(request.headers['webhook-id'])
    const known = callbacks.get(id) ?? {
      bodies: new Set(),
      attempts: 0,
      taken: 0,
      refusals: random.chance(100 * refuse) ? random.from(1, 3) : 0,
      payload,
    }
    callbacks.set(id, known)
    known.bodies.add(body)
    known.attempts++
    if (known.attempts <= known.refusals) {
      counts.refused++
      if (random.chance(50)) request.socket.destroy()
      else response.writeHead(500).end('not now')
      return
    }
    known.taken++
    response.writeHead(204).end()
  }

  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => {
      if (gatewaysNow && error instanceof CallbackError && error.reason === 'old') {
        counts.refused++
        response.writeHead(400).end('signed at another time')
        return
      }
      // A gateway that is killed hangs up in the middle of a body; that is no delivery.
      if (!request.destroyed || request.complete) faults.push(String(error))
      response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/sms`,
    callbacks,
    faults,
    get refused() {
      return counts.refused
    },
    get waiting() {
      return waiting.size
    },
    silence(wanted) {
      silent = wanted
      if (!silent) for (const response of waiting.keys()) response.destroy()
    },
    takeSome() {
      for (const [index, goOn] of [...waiting.values()].entries()) if (index % 2 === 0) goOn()
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
