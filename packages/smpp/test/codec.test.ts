import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decode } from '../src/codec/decode.ts'
import {
  encodeBare,
  encodeBind,
  encodeBindResponse,
  encodeMessage,
  encodeMessageResponse,
  encodeQuery,
  encodeQueryResponse,
} from '../src/codec/encode.ts'
import { Frames } from '../src/codec/frames.ts'
import { type Address, COMMAND, RESPONSE, type ShortMessage } from '../src/codec/pdu.ts'
import { shortMessage } from './peers.ts'

const octet = fc.integer({ min: 0, max: 255 })
const sequence = fc.integer({ min: 1, max: 0x7fff_ffff })
const status = fc.integer({ min: 0, max: 0xffff_ffff })
/** Characters of latin1 without NUL. */
const plain = (maxLength: number) =>
  fc.string({ unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)), maxLength })
const octets = (maxLength: number) => fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes))
const address: fc.Arbitrary<Address> = fc.record({ ton: octet, npi: octet, digits: plain(20) })
const message: fc.Arbitrary<ShortMessage> = fc.record({
  serviceType: plain(5),
  source: address,
  destination: address,
  esmClass: octet,
  protocolId: octet,
  validity: plain(16),
  registeredDelivery: octet,
  dataCoding: octet,
  body: octets(254).filter(({ length }) => length > 0),
  tlvs: fc
    .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 0xffff }), octets(300)), { selector: ([tag]) => tag })
    .map((pairs) => new Map(pairs)),
})

describe('what is written is read again', () => {
  it('a message in either direction', () => {
    fc.assert(
      fc.property(message, sequence, fc.boolean(), (given, number, isSubmit) => {
        const kind = isSubmit ? 'submit_sm' : 'deliver_sm'
        const command = isSubmit ? COMMAND.submitSm : COMMAND.deliverSm
        const found = decode(encodeMessage(command, given, number))
        expect(found).toEqual({ kind, sequence: number, status: 0, message: given })
      }),
    )
  })

  it('a bind and its answer', () => {
    const kind = fc.constantFrom('transceiver' as const, 'transmitter' as const, 'receiver' as const)
    const bind = fc.record({
      kind,
      systemId: plain(15),
      password: plain(8),
      systemType: plain(12),
      version: octet,
    })
    fc.assert(
      fc.property(bind, sequence, octet, (given, number, version) => {
        expect(decode(encodeBind(given, number))).toEqual({
          kind: 'bind',
          sequence: number,
          status: 0,
          bind: given,
        })
        const { systemId } = given
        expect(decode(encodeBindResponse(given.kind, number, 0, { systemId, version }))).toEqual({
          kind: 'bind_resp',
          sequence: number,
          status: 0,
          systemId,
          version,
        })
      }),
    )
  })

  it('answers and queries', () => {
    fc.assert(
      fc.property(plain(64), sequence, status, octet, address, (messageId, number, given, state, source) => {
        const head = { sequence: number, status: given }
        expect(
          decode(encodeMessageResponse(COMMAND.submitSm, number, given, { messageId, congestion: state })),
        ).toEqual({ ...head, kind: 'submit_sm_resp', messageId, congestion: state })
        expect(decode(encodeQuery(messageId, source, number))).toEqual({
          kind: 'query_sm',
          sequence: number,
          status: 0,
          messageId,
          source,
        })
        expect(decode(encodeQueryResponse(number, given, { messageId, finalDate: '', state }))).toEqual({
          ...head,
          kind: 'query_sm_resp',
          messageId,
          state,
          error: 0,
        })
        expect(decode(encodeBare(COMMAND.enquireLink + RESPONSE, number, given))).toEqual({
          ...head,
          kind: 'enquire_link_resp',
        })
      }),
    )
  })

  it('a stream, however it is cut into packets', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 400 })),
        (given, cuts) => {
          const pdus = given.map((each, index) =>
            Buffer.from(encodeMessage(COMMAND.submitSm, each, index + 1)),
          )
          const found: Buffer[] = []
          const frames = new Frames((frame) => found.push(Buffer.from(frame)))
          let stream = Buffer.concat(pdus)
          for (const cut of [...cuts, stream.length]) {
            frames.read(stream.subarray(0, cut))
            stream = stream.subarray(cut)
          }
          frames.read(stream)
          expect(found).toEqual(pdus)
        },
      ),
    )
  })
})

describe('what is too long', () => {
  it('is refused with the name of the field, and never with its content', () => {
    const bind = { kind: 'transceiver', systemId: 'a', systemType: '', version: 0x34 } as const
    expect(() => encodeBind({ ...bind, password: 'p'.repeat(65) }, 1)).toThrow(
      /^password: expected at most 64 characters, got 65$/,
    )
    expect(() => encodeMessage(COMMAND.submitSm, shortMessage({ body: Buffer.alloc(255) }), 1)).toThrow(
      'short_message: expected at most 254 octets, got 255',
    )
  })

  it('leaves the next PDU as it should be', () => {
    expect(() => encodeMessage(COMMAND.submitSm, shortMessage({ validity: 'x'.repeat(17) }), 1)).toThrow()
    expect(decode(encodeMessage(COMMAND.submitSm, shortMessage(), 2))).toMatchObject({
      message: shortMessage(),
    })
  })
})

describe('a body that ends early', () => {
  it('is torn at every octet of a message, or reads as a shorter one', () => {
    const whole = Buffer.from(encodeMessage(COMMAND.deliverSm, shortMessage(), 1))
    for (let length = 16; length < whole.length; length++) {
      expect(() => decode(whole.subarray(0, length))).toThrow(/^expected \d+ more octets, got \d+$/)
    }
  })

  it('keeps the fields before a torn one, and says that one is torn', () => {
    const tlvs = new Map([
      [0x001e, Buffer.from('1')],
      [0x0427, Buffer.of(2)],
    ])
    const whole = Buffer.from(encodeMessage(COMMAND.deliverSm, shortMessage({ tlvs }), 1))
    expect(decode(whole.subarray(0, -1))).toMatchObject({
      message: { torn: true, tlvs: new Map([[0x001e, Buffer.from('1')]]) },
    })
  })

  it('of an answer may be missing altogether', () => {
    expect(decode(encodeBare(COMMAND.submitSm + RESPONSE, 1, 0x58))).toEqual({
      kind: 'submit_sm_resp',
      sequence: 1,
      status: 0x58,
      messageId: '',
      congestion: undefined,
    })
    expect(decode(encodeBare(COMMAND.bindTransceiver + RESPONSE, 1, 0x0e))).toMatchObject({ status: 0x0e })
    expect(decode(encodeBare(COMMAND.querySm + RESPONSE, 1, 0x67))).toMatchObject({ state: 0 })
  })

  it('never fails in another way, whatever it holds', () => {
    const command = fc.constantFrom(
      ...Object.values(COMMAND),
      ...Object.values(COMMAND).map((each) => (each | RESPONSE) >>> 0),
    )
    fc.assert(
      fc.property(command, octets(200), (given, body) => {
        const frame = Buffer.concat([Buffer.from(encodeBare(given, 1)), body])
        try {
          decode(frame)
        } catch (error) {
          expect(error).toMatchObject({ name: 'TornPdu' })
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
