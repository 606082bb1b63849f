import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { encodeMessage, encodeMessageResponse } from '../../../../smpp/src/codec/encode.ts'
import { COMMAND, type Pdu } from '../../../../smpp/src/codec/pdu.ts'
import { STATUS } from '../../../../smpp/src/status.ts'
import { letUnbind, rawCarrier, shortMessage } from '../../../../smpp/test/peers.ts'
import type { Receipt } from '../../../src/delivery/carrier.ts'
import type { SmppSettings } from '../../../src/delivery/carriers/settings.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { StoreUnavailable } from '../../../src/store/database.ts'
import { eventually } from '../../support/eventually.ts'
import { carrierTo, submission, up } from './smpp-carrier.ts'
import { smppThread } from './smpp-threads.ts'

/** Patient, so that only the test ends anything. */
const PATIENT = { enquireMs: 600_000, responseMs: 600_000 }

const receiptPdu = (id: string, sequence: number) =>
  encodeMessage(
    COMMAND.deliverSm,
    shortMessage({
      esmClass: 4,
      source: { ton: 1, npi: 1, digits: '233240000000' },
      body: Buffer.from(`id:${id} sub:001 dlvrd:001 stat:DELIVRD err:000 text:`),
    }),
    sequence,
  )

/** A carrier in a thread, and its peer, which binds and notes everything, and answers as the test says. */
async function open(
  settings: Partial<SmppSettings> = {},
  hear: (pdu: Pdu, socket: Socket) => void = letUnbind,
) {
  const binds: Pdu[] = []
  const submitted: { pdu: Pdu; answer(status?: number): void }[] = []
  const acknowledged: Pdu[] = []
  const raw = await rawCarrier((pdu, socket) => {
    if (pdu.kind === 'bind') binds.push(pdu)
    if (pdu.kind === 'deliver_sm_resp') acknowledged.push(pdu)
    if (pdu.kind === 'submit_sm') {
      const id = { messageId: `id-${submitted.length + 1}` }
      const { sequence } = pdu
      const answer = (status = STATUS.ok) =>
        void socket.write(encodeMessageResponse(COMMAND.submitSm, sequence, status, id))
      submitted.push({ pdu, answer })
    }
    hear(pdu, socket)
  })
  const thread = smppThread()
  const opened = carrierTo(raw.port, { ...PATIENT, ...settings }, systemClock, thread.hosting)
  await up(opened.carrier)
  return { ...thread, ...opened, raw, binds, submitted, acknowledged }
}

describe('a carrier in a thread', () => {
  it('binds with its password, and submits and answers as in the first thread', async () => {
    const { carrier, binds, submitted, receipts, raw, acknowledged } = await open()
    expect(binds).toMatchObject([{ bind: { systemId: 'demo', password: 'secret' } }])
    const outcome = carrier.submit(submission())
    await eventually('the message', () => submitted.length === 1)
    submitted[0]?.answer()
    expect(await outcome).toEqual({ kind: 'accepted', parts: 1, refs: [{ part: 0, ref: 'id-1' }] })
    raw.sockets[0]?.write(receiptPdu('id-1', 1))
    await eventually('the acknowledgement', () => acknowledged.length === 1)
    expect(receipts).toEqual([{ ref: 'id-1', verdict: 'success', recipient: '233240000000' }])
    expect(JSON.stringify(carrier)).not.toContain('secret')
  })

  it('acknowledges a receipt once it is kept, and reports a failure as what it is', async () => {
    const { raw, events, acknowledged } = await open()
    const faults: unknown[] = []
    events.onFault = (error) => faults.push(error)
    const away = new StoreUnavailable('the store is away')
    events.onReceipts = async () => {
      throw away
    }
    raw.sockets[0]?.write(receiptPdu('id-1', 7))
    await eventually('the answer', () => acknowledged.length === 1)
    expect(acknowledged).toMatchObject([{ sequence: 7, status: STATUS.temporary }])
    expect(faults).toEqual([away])
    expect(faults[0]).toBe(away)
  })

  it('tells of an answer that comes after it was given up', async () => {
    const { carrier, submitted, late } = await open({ responseMs: 40 })
    const message = submission()
    expect(await carrier.submit(message)).toEqual({ kind: 'uncertain' })
    submitted[0]?.answer()
    await eventually('the late answer', () => late.length === 1)
    const refs = [{ part: 0, ref: 'id-1' }]
    expect(late).toEqual([{ ticket: message.ticket, outcome: { kind: 'accepted', parts: 1, refs } }])
  })

  it('has less capacity at once for what is submitted, and tells when a good part is back', async () => {
    const { carrier, submitted, changes } = await open({ window: 40 })
    const outcomes = Array.from({ length: 40 }, () => carrier.submit(submission()))
    expect(carrier.capacity()).toBe(0)
    await eventually('a window', () => submitted.length === 40)
    for (const { answer } of submitted.splice(0, 3)) answer()
    await Promise.all(outcomes.slice(0, 3))
    // Somebody else asks, and sees a little.
    await eventually('a little capacity', () => carrier.capacity() > 0)
    const before = changes()
    for (const { answer } of submitted) answer()
    await Promise.all(outcomes)
    await eventually('the news', () => changes() > before)
    expect(carrier.capacity()).toBeGreaterThanOrEqual(40)
  })

  it('tells when there is capacity again though it never was without any in its own thread', async () => {
    const { carrier, submitted, changes } = await open({ window: 2 })
    for (let round = 0; round < 10; round++) {
      const outcomes = []
      while (carrier.capacity() > 0) outcomes.push(carrier.submit(submission()))
      const before = changes()
      let answered = 0
      await eventually('all are answered', () => {
        for (const { answer } of submitted.splice(0)) {
          answered++
          answer()
        }
        return answered === outcomes.length
      })
      await Promise.all(outcomes)
      await eventually('the news', () => changes() > before)
    }
  })

  it('waits for answers when it closes, and says goodbye; a message that comes meanwhile waits', async () => {
    const unbinds: Pdu[] = []
    const { carrier, submitted } = await open({}, (pdu, socket) => {
      if (pdu.kind === 'unbind') unbinds.push(pdu)
      letUnbind(pdu, socket)
    })
    const outcome = carrier.submit(submission())
    await eventually('the message', () => submitted.length === 1)
    const closed = carrier.close(600_000)
    expect(await carrier.submit(submission())).toMatchObject({ kind: 'later' })
    expect(await carrier.query?.({ sender: 'Wigwag', ref: 'id-1' })).toBeUndefined()
    submitted[0]?.answer()
    expect(await outcome).toMatchObject({ kind: 'accepted' })
    await closed
    expect([unbinds.length, submitted.length]).toEqual([1, 1])
    expect(await carrier.submit(submission())).toMatchObject({ kind: 'later' })
  })
})

describe('a carrier whose thread ends', () => {
  it('calls uncertain what was written, writes it no second time, and is opened once', async () => {
    const { carrier, submitted, binds, end, faults, raw } = await open()
    const outcomes = [carrier.submit(submission()), carrier.submit(submission())]
    await eventually('both', () => submitted.length === 2)
    await end()
    expect(await Promise.all(outcomes)).toEqual([{ kind: 'uncertain' }, { kind: 'uncertain' }])
    await up(carrier)
    const again = carrier.submit(submission())
    await eventually('another one', () => submitted.length === 3)
    submitted[2]?.answer()
    expect(await again).toMatchObject({ kind: 'accepted' })
    expect([binds.length, raw.sockets.length, faults.length]).toEqual([2, 2, 1])
  })

  it('is away, says why, and gives back what it was not handed', async () => {
    const { carrier, end, submitted, workers, changes } = await open()
    let kept = carrier.submit(submission())
    const before = changes()
    workers[0]?.prependListener('exit', () => {
      kept = carrier.submit(submission())
    })
    await kept.constructor
    await end()
    expect(carrier.state()).toMatchObject({ kind: 'away', reason: expect.stringContaining('has ended') })
    expect(carrier.capacity()).toBe(0)
    expect(changes()).toBeGreaterThan(before)
    expect(await kept).toMatchObject({ kind: 'later' })
    expect(await carrier.submit(submission())).toMatchObject({
      kind: 'later',
      reason: expect.stringContaining('has ended'),
    })
    await up(carrier)
    expect(submitted.length).toBeLessThanOrEqual(1)
  })

  it('is not opened again where it is closed meanwhile, nor one that was closed before', async () => {
    const { carrier, end, binds, host } = await open()
    await end()
    await carrier.close(600_000)
    await eventually('the next run of the thread', () => host.thread.isUp)
    const other = carrierTo(1, { reconnectMs: 600_000 }, systemClock, (settings) => host.carrier(settings))
    await eventually('its refusal', () => other.carrier.state().reason.includes('ECONNREFUSED'))
    expect(binds).toHaveLength(1)
  })

  it('counts on', async () => {
    const { carrier, raw, end, acknowledged } = await open()
    raw.sockets[0]?.write(encodeMessage(COMMAND.deliverSm, shortMessage({ body: Buffer.from('STOP') }), 1))
    raw.sockets[0]?.write(encodeMessage(COMMAND.deliverSm, shortMessage({ esmClass: 4 }), 2))
    await eventually('both', () => acknowledged.length === 2)
    await eventually('the counts', () => carrier.state().unreadable === 1)
    await end()
    expect(carrier.state()).toMatchObject({ inbound: 1, unreadable: 1 })
    await up(carrier)
    expect(carrier.state()).toMatchObject({ inbound: 1, unreadable: 1 })
  })

  it('does not acknowledge a receipt for one of an earlier run that was kept', async () => {
    const { carrier, raw, events, end, acknowledged } = await open()
    const keeping: { receipts: readonly Receipt[]; keep(): void }[] = []
    events.onReceipts = (receipts) =>
      new Promise((resolve) => void keeping.push({ receipts, keep: () => resolve() }))
    raw.sockets[0]?.write(receiptPdu('id-1', 1))
    await eventually('the first', () => keeping.length === 1)
    await end()
    await up(carrier)
    raw.sockets[1]?.write(receiptPdu('id-2', 1))
    await eventually('the second', () => keeping.length === 2)
    keeping[0]?.keep()
    // The thread has done all that it was told before this when it has answered.
    await carrier.submit({ ...submission(), taken: [0] })
    expect(acknowledged).toEqual([])
    keeping[1]?.keep()
    await eventually('the acknowledgement', () => acknowledged.length === 1)
  })
})
