import { describe, expect, it } from 'vitest'
import { TAG } from '../src/codec/pdu.ts'
import { readInbound } from '../src/receipt.ts'
import { encodeText } from '../src/text.ts'
import { shortMessage } from './peers.ts'

const RECEIPT = 0x04
const text = (body: string, esmClass = RECEIPT) =>
  shortMessage({ body: Buffer.from(body, 'latin1'), esmClass })
const fields = (id: string, state: number, more: [number, Buffer][] = []) =>
  new Map([[TAG.receiptedMessageId, Buffer.from(id)], [TAG.messageState, Buffer.of(state)], ...more])
const found = (id: string, state: string, error = '') => ({ kind: 'receipt', receipt: { id, state, error } })

describe('a receipt as text', () => {
  it.each([
    [
      'appendix B',
      'id:0123456789 sub:001 dlvrd:001 submit date:0610191050 done date:0610191051 stat:DELIVRD err:000 text:Hello',
      found('0123456789', 'delivered', '000'),
    ],
    [
      'capital letters',
      'ID:123 SUB:001 DLVRD:001 SUBMIT DATE:0610191050 DONE DATE:0610191051 STAT:DELIVRD ERR:0 TEXT:',
      found('123', 'delivered', '0'),
    ],
    [
      'spaces after the colons',
      'id: 123 sub: 001 dlvrd: 001 stat: DELIVRD err: 000',
      found('123', 'delivered', '000'),
    ],
    [
      'seconds in the dates',
      'id:123 submit date:061019105001 done date:061019105102 stat:EXPIRED err:008',
      found('123', 'expired', '008'),
    ],
    [
      'a UUID',
      'id:0e999f21-81ef-4b1e-9a6a-1a1a1a1a1a1a stat:DELIVRD err:000',
      found('0e999f21-81ef-4b1e-9a6a-1a1a1a1a1a1a', 'delivered', '000'),
    ],
    [
      'a failure with its code',
      'id:1216080510463401720 sub:001 dlvrd:001 stat:UNDELIV err:1f4 Text:',
      found('1216080510463401720', 'undeliverable', '1f4'),
    ],
    ['FAILED', 'id:1 stat:FAILED err:002', found('1', 'undeliverable', '002')],
    ['REJECTD', 'id:1 stat:REJECTD err:002', found('1', 'rejected', '002')],
    ['whole words', 'id:1 stat:DELIVERED', found('1', 'delivered')],
    ['UNDELIVERABLE', 'id:1 stat:UNDELIVERABLE', found('1', 'undeliverable')],
    ['a number as the state', 'id:1 stat:2 err:000', found('1', 'delivered', '000')],
    ['nothing but id and state', 'id:1 stat:DELETED', found('1', 'deleted')],
    [
      'an excerpt that looks like a receipt',
      'id:1 stat:UNDELIV err:1 text:id:2 stat:DELIVRD',
      found('1', 'undeliverable', '1'),
    ],
    ['commas', 'id:1,sub:001,stat:DELIVRD,err:000', found('1', 'delivered', '000')],
    ['on its way', 'id:1 stat:ENROUTE', found('1', 'enroute')],
    ['ACCEPTD', 'id:1 stat:ACCEPTD', found('1', 'accepted')],
    ['UNKNOWN', 'id:1 stat:UNKNOWN', found('1', 'unknown')],
    [
      'a state in the excerpt alone',
      'id:1 text:stat:DELIVRD',
      { kind: 'unreadable', why: 'a receipt without a state' },
    ],
    ['no id', 'sub:001 stat:DELIVRD', { kind: 'unreadable', why: 'a receipt without an id' }],
    ['no state', 'id:1 sub:001', { kind: 'unreadable', why: 'a receipt without a state' }],
    [
      'a state that no one knows',
      'id:1 stat:WHATEVER',
      { kind: 'unreadable', why: 'a receipt without a state' },
    ],
    ['nothing at all', '', { kind: 'unreadable', why: 'a receipt without an id' }],
  ])('%s', (_, body, expected) => {
    expect(readInbound(text(body))).toEqual(expected)
  })

  it('may be UCS-2, or only say so', () => {
    const body = 'id:77 stat:DELIVRD err:000'
    for (const octets of [encodeText(body, 'ucs2'), Buffer.from(body)]) {
      const message = shortMessage({ esmClass: RECEIPT, dataCoding: 8, body: octets })
      expect(readInbound(message)).toEqual(found('77', 'delivered', '000'))
    }
  })
})

describe('a receipt as optional fields', () => {
  it('wins over the text', () => {
    const message = { ...text('id:1 stat:UNDELIV err:007'), tlvs: fields('2\0', 2) }
    expect(readInbound(message)).toEqual(found('2', 'delivered', '007'))
  })

  it('needs no text, no NUL, and not even the esm_class', () => {
    const tlvs = fields('ab', 5, [[TAG.networkErrorCode, Buffer.of(3, 0, 11)]])
    expect(readInbound(shortMessage({ body: Buffer.alloc(0), tlvs }))).toEqual(
      found('ab', 'undeliverable', '011'),
    )
  })

  it.each([
    [
      'an empty id',
      new Map([
        [TAG.receiptedMessageId, Buffer.alloc(0)],
        [TAG.messageState, Buffer.of(3)],
      ]),
      found('1', 'expired', '000'),
    ],
    [
      'an empty state',
      new Map([
        [TAG.receiptedMessageId, Buffer.from('2')],
        [TAG.messageState, Buffer.alloc(0)],
      ]),
      found('2', 'delivered', '000'),
    ],
    ['a state out of range', fields('2', 99), found('2', 'delivered', '000')],
  ])('with %s is completed from the text', (_, tlvs, expected) => {
    expect(readInbound({ ...text('id:1 stat:DELIVRD err:000'), tlvs })).toEqual(expected)
  })
})

describe('what is no receipt', () => {
  it('an intermediate notification ends nothing, whatever it says', () => {
    expect(readInbound(text('id:1 stat:DELIVRD', 0x20))).toEqual({ kind: 'progress' })
  })

  it('a text from a phone is a message, also when it looks like a receipt', () => {
    expect(readInbound(text('id:1 sub:001 dlvrd:001 stat:DELIVRD err:000', 0))).toEqual({ kind: 'message' })
  })
})
