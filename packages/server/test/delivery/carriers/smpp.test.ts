import { describe, expect, it } from 'vitest'
import { encodeMessage, encodeMessageResponse } from '../../../../smpp/src/codec/encode.ts'
import { COMMAND, type ShortMessage, TAG } from '../../../../smpp/src/codec/pdu.ts'
import type { SmscOptions } from '../../../../smpp/src/smsc/smsc.ts'
import { fakeCarrier, pause, rawCarrier, shortMessage } from '../../../../smpp/test/peers.ts'
import { ownRef } from '../../../src/delivery/carrier.ts'
import type { SmppSettings } from '../../../src/delivery/carriers/settings.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { type Clock, systemClock } from '../../../src/kernel/process/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { handClock, passUntil } from '../../support/hand-clock.ts'
import { turns } from '../../support/turns.ts'
import { carrierTo, submission, up } from './smpp-carrier.ts'

const LONG = 'A long text with {brackets}. '.repeat(14)
const HOUR_MS = 3_600_000

async function carrierWith(
  smsc: Partial<SmscOptions> = {},
  settings: Partial<SmppSettings> = {},
  clock: Clock = systemClock,
) {
  const fake = await fakeCarrier(smsc)
  const opened = carrierTo(fake.port, settings, clock)
  await up(opened.carrier)
  return { fake, ...opened }
}

describe('a message over SMPP', () => {
  it('is taken under a reference, and its receipt names that', async () => {
    const { carrier, receipts } = await carrierWith()
    const outcome = await carrier.submit(submission())
    expect(outcome).toEqual({ kind: 'accepted', parts: 1, refs: [{ part: 0, ref: expect.any(String) }] })
    await eventually('the receipt', () => receipts.length === 1)
    expect(outcome).toMatchObject({ refs: [{ ref: receipts[0]?.ref }] })
    expect(receipts[0]).toEqual({
      ref: expect.any(String),
      verdict: 'success',
      recipient: '233240000000',
    })
  })

  it.each([
    ['hex', 'same', 'text'],
    ['decimal', 'same', 'tlv'],
    ['mixed', 'hex-then-decimal', 'text'],
    ['mixed', 'hex-then-decimal', 'both'],
  ] as const)('finds its receipt with %s ids read as %s, in %s', async (given, ids, form) => {
    const { carrier, receipts } = await carrierWith({ ids: given, receipts: form }, { ids })
    const outcome = await carrier.submit(submission())
    await eventually('the receipt', () => receipts.length === 1)
    expect(outcome).toMatchObject({ refs: [{ ref: receipts[0]?.ref }] })
  })

  it.each([
    ['23324000001', 'undelivered', 'The carrier says: undeliverable (error 001).'],
    ['23324000002', 'expired', 'The carrier says: expired (error 001).'],
  ])('to %s ends as %s, and says why', async (recipient, verdict, reason) => {
    const { carrier, receipts } = await carrierWith()
    await carrier.submit(submission({ recipient }))
    await eventually('the receipt', () => receipts.length === 1)
    expect(receipts).toMatchObject([{ verdict, reason }])
  })

  it('is refused for good, for now, or left without a receipt, by its last digits', async () => {
    const { carrier, receipts, fake } = await carrierWith()
    const to = (recipient: string) => carrier.submit(submission({ recipient, content: LONG }))
    expect(await to('23324000003')).toEqual({
      kind: 'rejected',
      reason: 'the carrier answered RINVDSTADR (0x0000000b)',
    })
    expect(await to('23324000004')).toMatchObject({ kind: 'not_taken' })
    expect(await to('23324000005')).toMatchObject({ kind: 'accepted' })
    expect(await to('23324000006')).toMatchObject({ kind: 'accepted', parts: 3 })
    await eventually('repeated receipts of three parts', () => receipts.length === 12)
    expect(fake.taken).toHaveLength(6)
  })

  it('counts messages from phones and receipts that cannot be read, and acknowledges them', async () => {
    const answers: number[] = []
    const raw = await rawCarrier((pdu, socket) => {
      if (pdu.kind === 'deliver_sm_resp') answers.push(pdu.status)
      if (pdu.kind !== 'bind') return
      socket.write(encodeMessage(COMMAND.deliverSm, shortMessage({ body: Buffer.from('STOP') }), 1))
      socket.write(encodeMessage(COMMAND.deliverSm, shortMessage({ esmClass: 4 }), 2))
    })
    const { carrier, receipts } = carrierTo(raw.port)
    await eventually('two acknowledgements', () => answers.length === 2)
    expect(answers).toEqual([0, 0])
    expect(carrier.state()).toMatchObject({ kind: 'up', inbound: 1, unreadable: 1 })
    expect(receipts).toEqual([])
  })

  it('whose receipt was cut off on its way gets it again', async () => {
    let asked = 0
    const raw = await rawCarrier((pdu, socket) => {
      const hasChangedMeanwhile = pdu.kind === 'deliver_sm_resp' && pdu.status !== 0
      if (hasChangedMeanwhile) asked++
      if (pdu.kind !== 'bind' && !hasChangedMeanwhile) return
      const tlvs = new Map([
        [TAG.receiptedMessageId, Buffer.from('7\0')],
        [TAG.messageState, Buffer.of(2)],
      ])
      const whole = encodeMessage(
        COMMAND.deliverSm,
        shortMessage({ esmClass: 4, body: Buffer.alloc(0), tlvs }),
        5,
      )
      if (hasChangedMeanwhile) return void socket.write(whole)
      const torn = Buffer.from(whole.subarray(0, -1))
      torn.writeUInt32BE(torn.length, 0)
      socket.write(torn)
    })
    const { receipts } = carrierTo(raw.port)
    await eventually('the receipt', () => receipts.length === 1)
    expect(receipts).toEqual([{ ref: '7', verdict: 'success' }])
    expect(asked).toBe(1)
  })

  it('gets its receipt again until it is kept, and those that come together are kept together', async () => {
    const { carrier, receipts, batches, events } = await carrierWith({ delayMs: 30 }, { window: 30 })
    const keep = events.onReceipts
    const fault = new Error('the database is away')
    const faults: unknown[] = []
    const lost: number[] = []
    events.onFault = (error) => faults.push(error)
    events.onReceipts = async (given) => {
      if (lost.length < 2) {
        lost.push(given.length)
        throw fault
      }
      await keep(given)
    }
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => carrier.submit(submission())))
    await eventually('all receipts', () => receipts.length >= 30)
    const refs = outcomes.flatMap((outcome) => (outcome.kind === 'accepted' ? outcome.refs : []))
    expect(new Set(receipts.map(({ ref }) => ref))).toEqual(new Set(refs.map(({ ref }) => ref)))
    expect(Math.max(...batches, ...lost)).toBeGreaterThan(1)
    // Once for each batch, however many receipts were in it.
    expect(faults).toEqual([fault, fault])
  })
})

describe('what is written', () => {
  async function written(changes: Parameters<typeof submission>[0], settings: Partial<SmppSettings> = {}) {
    const { carrier, fake } = await carrierWith({ receipts: 'none' }, settings)
    const outcome = await carrier.submit(submission(changes))
    return { outcome, messages: fake.taken.map(({ message }): ShortMessage => message), fake }
  }

  it('has the address of each kind of sender, and asks for a receipt', async () => {
    const settings = { serviceType: 'CMT' }
    const types = async (sender: string) => (await written({ sender }, settings)).messages[0]?.source
    expect(await types('Wigwag')).toEqual({ ton: 5, npi: 0, digits: 'Wigwag' })
    expect(await types('1404')).toEqual({ ton: 3, npi: 0, digits: '1404' })
    expect(await types('233240000000')).toEqual({ ton: 1, npi: 1, digits: '233240000000' })
    const { messages } = await written({}, settings)
    expect(messages).toMatchObject([
      { serviceType: 'CMT', registeredDelivery: 1, dataCoding: 0, esmClass: 0 },
    ])
  })

  it('has the rest of its validity, in whole minutes', async () => {
    const in36Hours = epochMs(systemClock.now() + 36 * HOUR_MS + 10 * 60_000 - 5_000)
    expect((await written({ expiresAt: in36Hours })).messages[0]?.validity).toBe('000001121000000R')
    expect((await written({ expiresAt: epochMs(1) })).messages[0]?.validity).toBe('000000000100000R')
  })

  it.each<[string, Partial<SmppSettings>, string, 'GSM-7' | 'UCS-2', number, string]>([
    ['GSM-7', {}, 'é{€', 'GSM-7', 0x00, '051b281b65'],
    ['UCS-2', {}, 'ê🙂', 'UCS-2', 0x08, '00ead83dde42'],
    ['latin1', { alphabet: 'latin1' }, 'é{', 'GSM-7', 0x00, 'e97b'],
    ['what latin1 cannot write', { alphabet: 'latin1' }, '€', 'GSM-7', 0x08, '20ac'],
    ['all as UCS-2', { alphabet: 'ucs2' }, 'a', 'GSM-7', 0x08, '0061'],
    ['flash', { flash: true }, 'a', 'GSM-7', 0x10, '61'],
    ['flash in UCS-2', { flash: true }, 'я', 'UCS-2', 0x18, '044f'],
  ])('%s', async (_, settings, content, encoding, dataCoding, octets) => {
    const { messages } = await written({ content, encoding }, settings)
    expect(messages.map((each) => [each.dataCoding, each.body.toString('hex')])).toEqual([
      [dataCoding, octets],
    ])
  })

  it('splits a long text with a header in each part, as it was charged', async () => {
    const { messages, outcome, fake } = await written({ content: 'a'.repeat(307) })
    expect(outcome).toMatchObject({
      kind: 'accepted',
      parts: 3,
      refs: [{ part: 0 }, { part: 1 }, { part: 2 }],
    })
    expect(messages.map(({ body }) => body.length)).toEqual([159, 159, 7])
    const reference = messages[0]?.body[3]
    for (const [index, { body, esmClass }] of messages.entries()) {
      expect([esmClass, ...body.subarray(0, 6)]).toEqual([0x40, 5, 0, 3, reference, 3, index + 1])
    }
    expect(fake.taken.map(({ part }) => part?.number)).toEqual([1, 2, 3])
  })

  it('leaves the split to fields, or sends the whole as a payload, where the carrier wants that', async () => {
    const sar = await written({ content: LONG }, { long: 'sar' })
    expect(sar.messages.every(({ esmClass }) => esmClass === 0)).toBe(true)
    expect(sar.fake.taken.map(({ part }) => [part?.number, part?.of])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ])
    expect(sar.fake.taken.map(({ text }) => text).join('')).toBe(LONG)
    const payload = await written({ content: LONG }, { long: 'payload' })
    expect(payload.outcome).toMatchObject({ kind: 'accepted', parts: 1 })
    expect(payload.fake.taken.map(({ text }) => text)).toEqual([LONG])
  })
})

/** On a clock by hand: nothing else happens while an answer is waited for. */
const PATIENT = { responseMs: 2_000, enquireMs: 60_000 }

describe('a message of several parts', () => {
  /** Answers each part as told, by its number. */
  async function carrierThat(
    answers: Record<number, number | 'silence'>,
    settings: Partial<SmppSettings> = {},
    clock?: Clock,
  ) {
    const parts: number[] = []
    const raw = await rawCarrier((pdu, socket) => {
      if (pdu.kind !== 'submit_sm') return
      const number = pdu.message.body[5] ?? 0
      parts.push(number)
      const answer = answers[number] ?? 0
      if (answer === 'silence') return
      const messageId = answer === 0 ? `id${number}` : ''
      socket.write(encodeMessageResponse(COMMAND.submitSm, pdu.sequence, answer, { messageId }))
    })
    const opened = carrierTo(raw.port, settings, clock)
    await up(opened.carrier)
    return { ...opened, parts }
  }
  const refs = (...parts: number[]) => parts.map((part) => ({ part, ref: `id${part + 1}` }))

  it('is submitted without the parts that were taken before', async () => {
    const { carrier, parts } = await carrierThat({})
    const outcome = await carrier.submit(submission({ content: LONG, taken: [0, 2] }))
    expect(outcome).toEqual({ kind: 'accepted', parts: 3, refs: refs(1) })
    expect(parts).toEqual([2])
  })

  it.each<[string, Record<number, number>, object]>([
    ['rejected', { 2: 0x0b }, { kind: 'rejected' }],
    ['busy', { 2: 0x58 }, { kind: 'later', afterMs: expect.any(Number) }],
    ['not taken', { 2: 0x08 }, { kind: 'not_taken' }],
    ['rejected before busy', { 2: 0x58, 3: 0x0b }, { kind: 'rejected' }],
  ])('is partly taken when one of them is %s', async (_, answers, rest) => {
    const { carrier } = await carrierThat(answers)
    const outcome = await carrier.submit(submission({ content: LONG }))
    const taken = [0, 1, 2].filter((part) => answers[part + 1] === undefined)
    expect(outcome).toMatchObject({ kind: 'partly', parts: 3, refs: refs(...taken), rest })
  })

  it('is partly taken also when the parts before were taken in another try', async () => {
    const { carrier } = await carrierThat({ 2: 0x08, 3: 0x08 })
    const outcome = await carrier.submit(submission({ content: LONG, taken: [0] }))
    expect(outcome).toMatchObject({ kind: 'partly', parts: 3, refs: [], rest: { kind: 'not_taken' } })
  })

  it('is refused as a whole when none is taken', async () => {
    const { carrier } = await carrierThat({ 1: 0x0b, 2: 0x0b, 3: 0x0b })
    expect(await carrier.submit(submission({ content: LONG }))).toMatchObject({ kind: 'rejected' })
  })

  it('is uncertain in the part without an answer', async () => {
    const clock = handClock()
    const { carrier, parts } = await carrierThat({ 2: 'silence' }, PATIENT, clock)
    const submitting = carrier.submit(submission({ content: LONG }))
    await eventually('the others are answered', () => parts.length === 3 && carrier.state().inWindow === 1)
    clock.pass(PATIENT.responseMs)
    expect(await submitting).toEqual({
      kind: 'partly',
      parts: 3,
      refs: refs(0, 2),
      rest: { kind: 'uncertain' },
    })
    await passUntil(clock, carrier.close(0))
  })

  it('has been taken as a whole once the late answer is there', async () => {
    const clock = handClock()
    const missed = Promise.withResolvers<void>()
    let taken = 0
    const raw = await rawCarrier(async (pdu, socket) => {
      if (pdu.kind !== 'submit_sm') return
      taken++
      const number = pdu.message.body[5]
      const answer = Buffer.from(
        encodeMessageResponse(COMMAND.submitSm, pdu.sequence, 0, { messageId: `id${number}` }),
      )
      if (number === 2) await missed.promise
      socket.write(answer)
    })
    const { carrier, late } = carrierTo(raw.port, PATIENT, clock)
    await up(carrier)
    const message = submission({ content: LONG })
    const submitting = carrier.submit(message)
    await eventually('the others are answered', () => taken === 3 && carrier.state().inWindow === 1)
    clock.pass(PATIENT.responseMs)
    expect(await submitting).toMatchObject({ kind: 'partly', rest: { kind: 'uncertain' } })
    missed.resolve()
    await eventually('the late answer', () => late.length === 1)
    const [first] = late
    expect(first?.ticket).toBe(message.ticket)
    expect(first?.outcome).toMatchObject({ kind: 'accepted', parts: 3 })
    expect(first?.outcome.kind === 'accepted' && first.outcome.refs).toEqual(
      expect.arrayContaining(refs(0, 1, 2)),
    )
    await passUntil(clock, carrier.close(0))
  })

  it('that is taken without ids gets references of ours', async () => {
    const raw = await rawCarrier((pdu, socket) => {
      if (pdu.kind === 'submit_sm') socket.write(encodeMessageResponse(COMMAND.submitSm, pdu.sequence, 0))
    })
    const { carrier } = carrierTo(raw.port)
    await up(carrier)
    const message = submission()
    const refs = [{ part: 0, ref: ownRef(message.ticket, 0) }]
    expect(await carrier.submit(message)).toEqual({ kind: 'accepted', parts: 1, refs })
  })
})

it('a message that cannot be written is certainly not taken', async () => {
  const { carrier, events, fake } = await carrierWith({})
  const faults: unknown[] = []
  events.onFault = (error) => faults.push(error)
  const broken = new RangeError('expected characters of gsm alone')
  const message = Object.defineProperty(submission(), 'content', {
    get() {
      throw broken
    },
  })
  expect(await carrier.submit(message)).toEqual({ kind: 'not_taken', reason: 'it cannot be written' })
  expect([faults, fake.taken]).toEqual([[broken], []])
})

describe('several binds', () => {
  it('share the messages, and each receipt is heard once', async () => {
    const { carrier, fake, receipts } = await carrierWith({ answerMs: 10 }, { binds: 3, window: 2 })
    await eventually('capacity on all', () => carrier.capacity() === 6)
    const answers = Array.from({ length: 6 }, () => carrier.submit(submission()))
    await pause(0)
    expect(carrier.state().inWindow).toBe(6)
    expect(carrier.capacity()).toBe(0)
    await Promise.all(answers)
    await eventually('the receipts', () => receipts.length === 6)
    expect(fake.taken).toHaveLength(6)
  })

  it('share one pace', async () => {
    const clock = handClock()
    const { carrier, fake } = await carrierWith({}, { binds: 3, tps: 50 }, clock)
    const outcomes = Array.from({ length: 30 }, () => carrier.submit(submission()))
    await eventually('the first five, which leave at once', () => fake.taken.length === 5)
    let passed = 0
    for (; fake.taken.length < 30; passed += 10) {
      clock.pass(10)
      await turns()
    }
    await Promise.all(outcomes)
    expect(passed).toBeGreaterThan(450)
  })

  it('of a pair submit on one connection and hear on the other', async () => {
    const kinds: string[] = []
    const raw = await rawCarrier((pdu, socket) => {
      if (pdu.kind === 'bind') kinds.push(pdu.bind.kind)
      if (pdu.kind === 'bind' && pdu.bind.kind === 'receiver') {
        const body = Buffer.from('id:9 stat:DELIVRD')
        socket.write(encodeMessage(COMMAND.deliverSm, shortMessage({ esmClass: 4, body }), 1))
      }
    })
    const { carrier, receipts } = carrierTo(raw.port, { bind: 'pair', version: '5.0' })
    await eventually('the receipt', () => receipts.length === 1)
    await up(carrier)
    expect(kinds.sort()).toEqual(['receiver', 'transmitter'])
    const paired = await carrierWith({}, { bind: 'pair' })
    expect(await paired.carrier.submit(submission())).toMatchObject({ kind: 'accepted' })
    await eventually('its receipt', () => paired.receipts.length === 1)
  })
})

describe('capacity', () => {
  it('is the window, less what is on its way; and more is told once a good part is free', async () => {
    const { carrier, changes } = await carrierWith({ answerMs: 20 }, { window: 8 }, handClock())
    expect(carrier.capacity()).toBe(8)
    const answers = Array.from({ length: 8 }, () => carrier.submit(submission()))
    expect(carrier.capacity()).toBe(0)
    const before = changes()
    await Promise.all(answers)
    await eventually('the news', () => changes() > before)
    // A tenth of what was answered in the last second waits in a short queue.
    expect(carrier.capacity()).toBe(9)
  })

  it('is told of also when somebody else has asked meanwhile, and saw a little of it', async () => {
    const answers: (() => void)[] = []
    const raw = await rawCarrier((pdu, socket) => {
      if (pdu.kind !== 'submit_sm') return
      answers.push(() => socket.write(encodeMessageResponse(COMMAND.submitSm, pdu.sequence, 0)))
    })
    const { carrier, changes } = carrierTo(raw.port, { window: 40, responseMs: 600_000 })
    await up(carrier)
    const outcomes = Array.from({ length: 40 }, () => carrier.submit(submission()))
    expect(carrier.capacity()).toBe(0)
    await eventually('a window', () => answers.length === 40)
    for (const answer of answers.splice(0, 3)) answer()
    await Promise.all(outcomes.slice(0, 3))
    expect(carrier.capacity()).toBeGreaterThan(0)
    const before = changes()
    for (const answer of answers) answer()
    await Promise.all(outcomes)
    expect(changes()).toBe(before + 1)
  })

  it('is never more than what leaves in a tenth of a second', async () => {
    const clock = handClock()
    const { carrier, fake } = await carrierWith({}, { window: 100, tps: 20 }, clock)
    // Two may leave at once.
    expect(carrier.capacity()).toBe(4)
    const answers = Array.from({ length: 10 }, () => carrier.submit(submission()))
    expect(carrier.capacity()).toBe(0)
    for (; fake.taken.length < 10; clock.pass(10)) await turns()
    await Promise.all(answers)
  })

  it('is none while the carrier rests, and a message waits until the rest is over', async () => {
    const clock = handClock()
    const { carrier, fake } = await carrierWith({ tps: 2, clock }, {}, clock)
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => carrier.submit(submission())))
    expect(outcomes.filter(({ kind }) => kind === 'later').length).toBeGreaterThanOrEqual(1)
    expect(carrier.state()).toMatchObject({
      kind: 'resting',
      reason: 'the carrier answered RTHROTTLED (0x00000058)',
      rests: 1,
    })
    expect(carrier.capacity()).toBe(0)
    const taken = fake.taken.length
    const outcome = await carrier.submit(submission())
    expect(outcome).toMatchObject({ kind: 'later' })
    expect(outcome.kind === 'later' && outcome.afterMs).toBe(1_000)
    expect(fake.taken).toHaveLength(taken)
  })
})

describe('a carrier that is away', () => {
  it('takes a message later, and says why and when', async () => {
    const fake = await fakeCarrier()
    const { port } = fake
    await fake.close()
    const { carrier } = carrierTo(port, { reconnectMs: 600_000 })
    await eventually('the refusal', () => carrier.state().reason !== 'connecting')
    expect(carrier.capacity()).toBe(0)
    expect(carrier.state()).toMatchObject({ kind: 'away', reason: expect.stringContaining('ECONNREFUSED') })
    const outcome = await carrier.submit(submission())
    expect(outcome).toMatchObject({ kind: 'later', reason: expect.stringContaining('ECONNREFUSED') })
    expect(outcome.kind === 'later' && outcome.afterMs).toBeGreaterThan(20_000)
    expect(outcome.kind === 'later' && outcome.afterMs).toBeLessThanOrEqual(60_000)
  })

  it('never shows its password', async () => {
    const fake = await fakeCarrier({ password: 'right' })
    const { carrier } = carrierTo(fake.port)
    await eventually('the refusal', () => carrier.state().reason.includes('RINVPASWD'))
    const shown = JSON.stringify([carrier, carrier.state(), await carrier.submit(submission())])
    expect(shown).not.toContain('secret')
  })

  it('is used again after a restart, and brings the receipts that were not acknowledged', async () => {
    const { carrier, receipts, fake } = await carrierWith({ delayMs: 60 })
    await carrier.submit(submission())
    fake.hangUp()
    await eventually('the loss', () => carrier.state().kind === 'away')
    await up(carrier)
    await eventually('the receipt', () => receipts.length === 1)
    expect(await carrier.submit(submission())).toMatchObject({ kind: 'accepted' })
  })
})

describe('a query', () => {
  const ask = async (settings: Partial<SmppSettings>, recipient: string, smsc: Partial<SmscOptions> = {}) => {
    const { carrier } = await carrierWith({ forgetPercent: 100, ...smsc }, { query: true, ...settings })
    const message = submission({ recipient })
    const outcome = await carrier.submit(message)
    const ref = (outcome.kind === 'accepted' && outcome.refs[0]?.ref) || 'none'
    return { ref, found: await carrier.query?.({ sender: message.sender, ref }) }
  }

  it.each([
    ['hex', 'same'],
    ['mixed', 'hex-then-decimal'],
    ['decimal', 'decimal-then-hex'],
  ] as const)(
    'with %s ids read as %s finds the end of a message whose receipt was forgotten',
    async (given, ids) => {
      const { ref, found } = await ask({ ids }, '23324000001', { ids: given })
      expect(found).toEqual({ ref, verdict: 'undelivered', reason: 'The carrier says: undeliverable.' })
    },
  )

  it('finds nothing of a message on its way, or of one that the carrier does not know', async () => {
    expect(await ask({}, '23324000005')).toMatchObject({ found: undefined })
    const { carrier } = await carrierWith({}, { query: true })
    expect(await carrier.query?.({ sender: 'WIGWAG', ref: 'abc' })).toBeUndefined()
  })

  it('is not offered where the carrier does not answer it', async () => {
    const { carrier } = await carrierWith({}, { query: false })
    expect(carrier.query).toBeUndefined()
  })
})
