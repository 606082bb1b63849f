/**
 * A gateway that accepts everything and does nothing: on raw sockets, so that the client is what is measured. Its
 * answers have the headers of the real one.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'

const ID = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'
const body = JSON.stringify({
  Cost: 0,
  Destination: '233241234567',
  Id: ID,
  Ticket: ID,
  ClientReference: 'order-1042-customer-77',
  Status: 'pending',
})
const head = [
  'HTTP/1.1 200 OK',
  'content-type: application/json',
  `content-length: ${body.length}`,
  `x-request-id: ${ID}`,
  'ratelimit: "default";r=199;t=1',
  'ratelimit-policy: "default";q=200;w=2',
  'cache-control: no-store',
  'date: Fri, 20 Nov 2026 09:00:00 GMT',
  'connection: keep-alive',
]
const answer = Buffer.from([...head, '', body].join('\r\n'))

function converse(socket: Socket): void {
  let pending = ''
  socket.setNoDelay(true)
  // A client that leaves in the middle is its own affair.
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1')
    for (let end = requestEnd(pending); end !== undefined; end = requestEnd(pending)) {
      pending = pending.slice(end)
      socket.write(answer)
    }
  })
}

/** Where the first request ends; undefined while it is not all there. */
function requestEnd(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0)
  const end = headEnd + 4 + length
  return text.length >= end ? end : undefined
}

const server = createServer(converse).listen(0, '127.0.0.1', () => {
  process.stderr.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
