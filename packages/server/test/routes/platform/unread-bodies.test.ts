import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { openHarness } from '../../support/harness.ts'
import { stopRealTime } from '../../support/still-time.ts'
import { head, onSocket } from '../socket.ts'

const SENDS = '/v1/messages/sms'
/** More than lies between two sockets on their way. */
const LARGE = 20_000_000

interface Sent {
  /** Whether the gateway took the whole body. */
  taken: boolean
  heard: string
}

/** Sends a body that is far too large, and reads nothing until all is sent or the gateway ended the connection. */
async function sendFirst(fields: Record<string, string>, body: Buffer, perSecond?: number): Promise<Sent> {
  // A slow machine would leave the bytes that it takes too long to read.
  stopRealTime()
  const harness = await openHarness()
  const { hostname, port } = await onSocket(harness, { lingerMs: 50 }, perSecond)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  const sent: Sent = { taken: false, heard: '' }
  let ended = false
  socket.on('error', () => undefined)
  socket.on('close', () => {
    ended = true
  })
  socket.pause()
  socket.on('data', (chunk) => {
    sent.heard += chunk.toString()
  })
  socket.write(head(harness, SENDS, fields))
  socket.write(body, (error) => {
    sent.taken = !error
    socket.resume()
  })
  await eventually('the gateway ends it, or has answered', () => ended || sent.heard !== '')
  return sent
}

const announced = (bytes: number, perSecond?: number) =>
  sendFirst({ 'content-length': `${bytes}` }, Buffer.alloc(bytes, 'a'), perSecond)

describe('a body whose request was answered', () => {
  it('is read to its end, so that a client that sends first gets to its answer', async () => {
    const { taken, heard } = await announced(15_000_000)
    expect(taken).toBe(true)
    expect(heard).toMatch(/^HTTP\/1.1 413 /)
  })

  it('is read no further than is read in a second', async () => {
    const { taken } = await announced(LARGE, 1_000_000)
    expect(taken).toBe(false)
  })

  it('is not read further when it does not say how long it is, either', async () => {
    const size = Buffer.from(`${LARGE.toString(16)}\r\n`)
    const chunk = Buffer.concat([size, Buffer.alloc(LARGE, 'a'), Buffer.from('\r\n')])
    const { taken } = await sendFirst({ 'transfer-encoding': 'chunked' }, chunk, 1_000_000)
    expect(taken).toBe(false)
  })
})
