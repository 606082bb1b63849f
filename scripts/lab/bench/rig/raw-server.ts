import { type AddressInfo, createServer, type Socket } from 'node:net'

/**
 * Serves HTTP on raw sockets, so that a server takes little of the processors that it shares with what is measured.
 * `onRequest` is given the head of each request and answers with a whole response.
 */
export function serveRaw(
  onRequest: (head: string, answer: (response: string | Buffer) => void) => void,
): void {
  const server = createServer((socket) => converse(socket, onRequest)).listen(0, '127.0.0.1', () => {
    process.stderr.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
  })
}

function converse(socket: Socket, onRequest: Parameters<typeof serveRaw>[0]): void {
  let pending = ''
  socket.setNoDelay(true)
  // A client that leaves in the middle is its own affair.
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1')
    for (let ends = requestEnds(pending); ends !== undefined; ends = requestEnds(pending)) {
      const head = pending.slice(0, ends.head)
      pending = pending.slice(ends.body)
      onRequest(head, (response) => socket.write(response))
    }
  })
}

/** Where the first request ends; undefined while it is not all there. */
function requestEnds(text: string): { head: number; body: number } | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
  const body = head + 4 + length
  return text.length >= body ? { head, body } : undefined
}
