import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * How many bytes of bodies are read in a second although their requests were answered. Many clients read no answer
 * before they have sent everything. Under a flood the garbage that reading makes would slow other clients down.
 */
const DISCARDED_PER_SECOND = 16_000_000
const CHECK_MS = 10

/**
 * Makes sure that what a client sends of a body after the answer to its request costs little. It may take `lingerMs` to
 * send the rest, and to read the answer when the rest is not read.
 */
export function createUnreadBodies(
  lingerMs: number,
): (request: IncomingMessage, response: ServerResponse) => void {
  let second = 0
  let left = 0

  function isWorthReading(bytes: number): boolean {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) {
      second = now
      left = DISCARDED_PER_SECOND
    }
    if (bytes > left) return false
    left -= bytes
    return true
  }

  /** Node reads on by itself. A body of a known length counts before it comes, another one while it does. */
  function watch(request: IncomingMessage): void {
    const { socket, headers } = request
    const length = headers['content-length']
    const began = performance.now()
    let read = socket.bytesRead
    const timer = setInterval(check, CHECK_MS).unref()
    if (!isWorthReading(Number(length ?? 0))) leave()

    function check(): void {
      const more = length === undefined ? socket.bytesRead - read : 0
      read += more
      if (request.complete || socket.destroyed) clearInterval(timer)
      else if (!isWorthReading(more)) leave()
      else if (performance.now() - began > lingerMs) {
        clearInterval(timer)
        socket.destroy()
      }
    }

    function leave(): void {
      clearInterval(timer)
      socket.pause()
      socket.end()
      setTimeout(() => socket.destroy(), lingerMs).unref()
    }
  }

  return function guard(request, response) {
    response.once('finish', () => {
      // Often it has arrived by then, and is read in this turn.
      if (!request.complete) setImmediate(watch, request)
    })
  }
}
