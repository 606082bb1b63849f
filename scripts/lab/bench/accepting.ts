/**
 * A gateway that accepts everything and does nothing: on raw sockets, so that the client is what is measured. Its
 * answers have the headers of the real one.
 */
import { serveRaw } from './rig/raw-server.ts'

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

serveRaw((_, respond) => respond(answer))
