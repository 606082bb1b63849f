import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * How many bytes of bodies are read in a second although their requests were answered. Many clients read no answer
 * before they have sent everything. Under a flood the garbage that reading makes would slow everybody down.
 */
const DISCARDED_PER_SECOND = 16_000_000
/** How long a client may take to send the rest, or to read the answer when the rest is not read. */
const LINGER_MS = 500

/** Makes sure that what a client sends of a body after the answer to its request costs little. */
export function createUnreadBodies(): (request: IncomingMessage, response: ServerResponse) => void {
  let second = 0
  let left = 0

  function isWorthReading({ headers }: IncomingMessage): boolean {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) {
      second = now
      left = DISCARDED_PER_SECOND
    }
    const bytes = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
    if (bytes > left) return false
    left -= bytes
    return true
  }

  return function leave(request, response) {
    response.once('finish', () => {
      if (request.complete) return
      const { socket } = request
      if (!isWorthReading(request)) {
        socket.end()
        // Only then, since Node goes on to read by itself.
        setImmediate(() => socket.pause())
      }
      setTimeout(() => {
        if (!request.complete) socket.destroy()
      }, LINGER_MS).unref()
    })
  }
}
