import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../server/test/support/eventually.ts'
import { handClock, passUntil } from '../../server/test/support/hand-clock.ts'
import { encodeBare, encodeBind, encodeMessage } from '../src/codec/encode.ts'
import { COMMAND, TAG } from '../src/codec/pdu.ts'
import { bound, fakeCarrier, linkTo, rawCarrier, shortMessage } from './peers.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const written = (pdu: Buffer) => Buffer.from(pdu)
const RECEIPT = shortMessage({ esmClass: 4, body: Buffer.from('id:1 stat:DELIVRD') })

/** A PDU of this command with this body, whose length is right or as given. */
function pdu(command: number, body: Buffer, length = 16 + body.length): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt32BE(length, 0)
  head.writeUInt32BE(command, 4)
  head.writeUInt32BE(7, 12)
  return Buffer.concat([head, body])
}

/** The same message with octets added at its end, or taken away. */
function changed(command: number, tail: Buffer | number): Buffer {
  const whole = written(encodeMessage(command, RECEIPT, 7))
  const body = whole.subarray(16, typeof tail === 'number' ? tail : undefined)
  return pdu(command, typeof tail === 'number' ? body : Buffer.concat([body, tail]))
}

function corpus(command: number): Record<string, Buffer> {
  const lying = changed(command, -4)
  return {
    'a text that is longer than its PDU': lying,
    'nothing after the service_type': pdu(command, Buffer.of(0)),
    'no body': pdu(command, Buffer.alloc(0)),
    'a string that never ends': pdu(command, Buffer.alloc(300, 0x41)),
    'a field longer than the PDU': changed(command, hex('0424 ffff 4142')),
    'half a field': changed(command, hex('0424 00')),
    'an empty field': changed(command, hex('0427 0000')),
    'empty fields without an id or a state': pdu(
      command,
      Buffer.concat([
        written(encodeMessage(command, shortMessage({ esmClass: 4, body: Buffer.alloc(0) }), 7)).subarray(16),
        hex('001e 0000 0427 0000 0423 0000'),
      ]),
    ),
    'a thousand fields': changed(
      command,
      Buffer.concat(Array.from({ length: 1_000 }, () => hex('1400 0001 00'))),
    ),
    'a header of a text that is longer than the text': written(
      encodeMessage(command, shortMessage({ esmClass: 0x44, body: hex('ff00 03') }), 7),
    ),
    'an information element longer than its header': written(
      encodeMessage(command, shortMessage({ esmClass: 0x40, body: hex('0500 ff01 0201 41') }), 7),
    ),
    'UCS-2 with half a character': written(
      encodeMessage(command, shortMessage({ esmClass: 4, dataCoding: 8, body: hex('00') }), 7),
    ),
    'a message_payload of 64 KiB': written(
      encodeMessage(
        command,
        shortMessage({ body: Buffer.alloc(0), tlvs: new Map([[TAG.messagePayload, Buffer.alloc(0xffff)]]) }),
        7,
      ),
    ),
    'an unknown command': pdu(0x999, hex('0102 0304')),
    'an unknown response': pdu(0x8000_0999, hex('0102 0304')),
    'a response to nothing': pdu(0x8000_0004, hex('3132 3300')),
    'a response without its body': pdu(0x8000_0005, Buffer.alloc(0)),
    'a generic_nack to nothing': pdu(0x8000_0000, Buffer.alloc(0)),
    'a bind in the middle, torn': pdu(0x09, hex('41')),
    'a query, torn': pdu(0x03, hex('41')),
    'a length of 0': pdu(0x15, Buffer.alloc(0), 0),
    'a length of 8': pdu(0x15, Buffer.alloc(0), 8),
    'a length of 2 GB': pdu(command, Buffer.alloc(64), 0x7fff_ffff),
    'a length of 4 GB': pdu(command, Buffer.alloc(64), 0xffff_ffff),
    'a length just above the most': pdu(command, Buffer.alloc(64), 70_001),
    garbage: Buffer.from('GET / HTTP/1.1\r\nHost: carrier\r\n\r\n'),
    zeros: Buffer.alloc(4_096),
    noise: Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7_919) % 251)),
  }
}

const fromCarrier = Object.entries(corpus(COMMAND.deliverSm))
const fromClient = Object.entries(corpus(COMMAND.submitSm))

describe('a link to a carrier that sends', () => {
  it.each(fromCarrier)('%s works on or comes back, and hears the next receipt', async (_, blow) => {
    let binds = 0
    const carrier = await rawCarrier((heard, socket) => {
      if (heard.kind !== 'bind') return
      binds++
      if (binds === 1) socket.write(blow)
      const bodies = shortMessage({ esmClass: 4, body: Buffer.from('id:good stat:DELIVRD') })
      socket.write(encodeMessage(COMMAND.deliverSm, bodies, 99))
    })
    // Long enough that a silent connection would not be given up meanwhile.
    const { link, heard } = linkTo(carrier.port, { enquireMs: 60_000, reconnectMs: 0 })
    const isGood = () => heard.some(({ body }) => body.toString().startsWith('id:good'))
    await eventually('the receipt', isGood)
    await bound(link)
    expect(binds).toBeLessThanOrEqual(2)
  })

  it('all of it for a long while needs no more memory', async () => {
    let binds = 0
    const blows = fromCarrier.map(([, blow]) => blow)
    const [warm, long] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const carrier = await rawCarrier((heard, socket) => {
      if (heard.kind === 'bind') socket.write(blows[binds++ % blows.length] ?? '')
      if (heard.kind === 'bind') socket.end()
      if (binds === 2 * blows.length) warm.resolve()
      if (binds === 12 * blows.length) long.resolve()
    })
    const { link } = linkTo(carrier.port, { reconnectMs: 0 }, { onMessage: async () => {} })
    await warm.promise
    const before = process.memoryUsage()
    await long.promise
    const after = process.memoryUsage()
    expect(after.arrayBuffers + after.heapUsed - before.arrayBuffers - before.heapUsed).toBeLessThan(
      64 * 1024 * 1024,
    )
    await link.close(0)
  })

  it('a PDU that never ends keeps no more than the largest one', async () => {
    const carrier = await rawCarrier((heard, socket) => {
      if (heard.kind === 'bind') socket.write(pdu(COMMAND.deliverSm, Buffer.alloc(60_000), 70_000))
    })
    const clock = handClock()
    const { link } = linkTo(carrier.port, { enquireMs: 30, responseMs: 200, clock })
    await bound(link)
    // The quiet carrier is given up, and what it had begun with it.
    clock.pass(30)
    clock.pass(200)
    await eventually('the end of the connection', () => link.state === 'connecting')
    clock.pass(20)
    await bound(link)
    await passUntil(clock, link.close(0))
  })
})

describe('the fake carrier, for a client that sends', () => {
  it.each(fromClient)('%s goes on serving others, and the next bind', async (_, blow) => {
    const carrier = await fakeCarrier()
    const { link, heard } = linkTo(carrier.port)
    await bound(link)
    const bind = {
      kind: 'transceiver',
      systemId: 'bad',
      password: 'x',
      systemType: '',
      version: 0x34,
    } as const
    const bad = connect(carrier.port, '127.0.0.1')
    bad.on('error', () => {})
    let answers = 0
    bad.on('data', () => answers++)
    bad.write(Buffer.concat([encodeBind(bind, 1), blow, encodeBare(COMMAND.enquireLink, 2)]))
    await eventually('an answer', () => answers > 0)
    expect(await link.submit(shortMessage(), () => {})).toMatchObject({ kind: 'accepted' })
    await eventually('the receipt', () => heard.length === 1)
    bad.destroy()
  })
})
