import { once } from 'node:events'
import { createServer, Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../server/test/support/eventually.ts'
import { encodeBare } from '../src/codec/encode.ts'
import { COMMAND } from '../src/codec/pdu.ts'
import { Connection } from '../src/link/connection.ts'

/** Counts how often it hands octets to the system. */
class CountingSocket extends Socket {
  packets = 0
  override _write(...args: Parameters<Socket['_write']>): void {
    this.packets++
    super._write(...args)
  }
  override _writev(...args: Parameters<NonNullable<Socket['_writev']>>): void {
    this.packets++
    super._writev?.(...args)
  }
}

it('sends PDUs that are written in one turn of the event loop as one packet', async () => {
  let received = 0
  const server = createServer((peer) => peer.on('data', ({ length }) => (received += length)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const socket = new CountingSocket()
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  await once(
    socket.connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1'),
    'connect',
  )
  const connection = new Connection(socket, { onPdu() {}, onEnd() {} })

  // As receipts are acknowledged that were kept together: each by a promise.
  const kept = Promise.resolve()
  for (let sequence = 1; sequence <= 3; sequence++)
    void kept.then(() => connection.write(encodeBare(COMMAND.enquireLink, sequence)))
  await eventually('all has arrived', () => received === 48)
  expect(socket.packets).toBe(1)
})
