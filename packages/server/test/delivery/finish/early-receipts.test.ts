import { describe, expect, it } from 'vitest'
import type { CarrierVerdict, Receipt } from '../../../src/delivery/carrier.ts'
import { pruneOrphans } from '../../../src/delivery/finish/refs.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { aPlace, ENGINES } from '../../support/bench.ts'
import { eventually } from '../../support/eventually.ts'
import { accepted, BALANCE, openDelivery, PRICE } from '../delivering.ts'

const TO = '233241000003'
const receipt = (ref: string, verdict: CarrierVerdict = 'success', recipient = TO): Receipt => ({
  ref,
  verdict,
  recipient,
})

describe.each(ENGINES)('early receipts beside uncertain messages on %s', (engine) => {
  async function openNorth() {
    const north = await openDelivery({ place: await aPlace(engine), carriers: ['north'] })
    const { carrier, send, work } = north
    return {
      ...north,
      async sendUncertain(to = TO, content = 'Hello') {
        carrier.onSubmit = () => ({ kind: 'uncertain' })
        const ticket = await send(to, content)
        await work()
        return ticket
      },
    }
  }

  it('end the only message to their number, as they say', async () => {
    const north = await openNorth()
    const ticket = await north.sendUncertain()
    const other = await north.sendUncertain('233241000009')
    north.pass(1_000)
    await north.carrier.take([
      { ...receipt('F4', 'undelivered'), reason: 'The carrier says: undeliverable.' },
    ])
    expect(await north.message(ticket)).toMatchObject({ status: 'pending' })
    await north.fleet.matchReceipts()
    expect(await north.message(ticket)).toMatchObject({ status: 'undelivered', carrierRef: 'F4', cost: 0 })
    expect(await north.message(other)).toMatchObject({ status: 'pending' })
    expect(await north.wallet()).toMatchObject({ posted: BALANCE, held: PRICE })
    await eventually('nothing is left of it', async () => (await north.refs()).length === 0)
    expect(north.faults).toEqual([])
  })

  it('end none when several receipts or several messages fit, and are kept for an operator', async () => {
    const north = await openNorth()
    const [first, second] = [await north.sendUncertain(), await north.sendUncertain()]
    const third = await north.sendUncertain('233241000009')
    north.pass(1_000)
    await north.carrier.take([
      receipt('one'),
      receipt('two', 'success', '233241000009'),
      receipt('three', 'failed', '233241000009'),
      receipt('nobody', 'success', '233241000077'),
    ])
    await north.fleet.matchReceipts()
    for (const ticket of [first, second, third])
      expect(await north.message(ticket)).toMatchObject({ status: 'pending' })
    north.pass(3_600_000)
    await north.database.write((tx) => pruneOrphans(tx, epochMs(north.clock.now())))
    expect((await north.refs()).map(({ ref }) => ref)).toEqual(['one', 'three', 'two'])
  })

  it('end none that is still waiting for its answer, nor one beside it', async () => {
    const north = await openNorth()
    const ticket = await north.sendUncertain()
    north.pass(1_000)
    north.carrier.onSubmit = async () => {
      await north.carrier.take([receipt('A')])
      await north.fleet.matchReceipts()
      return accepted('A')
    }
    const answered = await north.send(TO)
    await north.work()
    expect(await north.message(answered)).toMatchObject({ status: 'success', carrierRef: 'A' })
    expect(await north.message(ticket)).toMatchObject({ status: 'pending' })
  })

  it('end none that was handed over after them, and no part of a long one', async () => {
    const north = await openNorth()
    await north.carrier.take([receipt('before')])
    north.pass(1)
    const ticket = await north.sendUncertain()
    const long = await north.sendUncertain('233241000009', 'x'.repeat(200))
    north.pass(1)
    await north.carrier.take([receipt('part', 'success', '233241000009')])
    await north.fleet.matchReceipts()
    for (const one of [ticket, long]) expect(await north.message(one)).toMatchObject({ status: 'pending' })
    north.carrier.receipts = 'one'
    await north.fleet.matchReceipts()
    expect(await north.message(long)).toMatchObject({ status: 'success' })
  })

  it('end none when they are said again, of a message that has ended', async () => {
    const north = await openNorth()
    const ticket = await north.sendUncertain()
    north.carrier.onSubmit = () => accepted('00F4')
    const ended = await north.send(TO)
    await north.work()
    await north.carrier.take([receipt('f4')])
    expect(await north.message(ended)).toMatchObject({ status: 'success' })
    await eventually('its reference is deleted', async () => (await north.refs()).length === 0)
    north.pass(1_000)
    await north.carrier.take([receipt('f4')])
    await north.fleet.matchReceipts()
    expect(await north.message(ticket)).toMatchObject({ status: 'pending' })
    await north.carrier.take([receipt('mine')])
    await north.fleet.matchReceipts()
    expect(await north.message(ticket)).toMatchObject({ status: 'success', carrierRef: 'mine' })
  })

  it('end none when they are of the other parts of a long one that has ended', async () => {
    const north = await openNorth()
    const ticket = await north.sendUncertain()
    north.carrier.onSubmit = () => ({
      kind: 'accepted',
      parts: 2,
      refs: [
        { part: 0, ref: 'first' },
        { part: 1, ref: 'second' },
      ],
    })
    const long = await north.send(TO, 'x'.repeat(200))
    await north.work()
    await north.carrier.take([receipt('first', 'failed')])
    expect(await north.message(long)).toMatchObject({ status: 'failed' })
    await eventually('its references are deleted', async () => (await north.refs()).length === 0)
    north.pass(1_000)
    await north.carrier.take([receipt('second', 'failed')])
    await north.fleet.matchReceipts()
    expect(await north.message(ticket)).toMatchObject({ status: 'pending' })
    expect(await north.refs()).toEqual([])
    expect(north.faults).toEqual([])
  })

  it('are all looked at in time, however many fit nothing', async () => {
    const north = await openNorth()
    const strangers = Array.from({ length: 250 }, (_, index) =>
      receipt(`x${index}`, 'success', String(233_240_000_000 + index)),
    )
    const ticket = await north.sendUncertain()
    await north.carrier.take(strangers)
    north.pass(1)
    await north.carrier.take([receipt('mine')])
    await north.fleet.matchReceipts()
    await north.fleet.matchReceipts()
    expect(await north.message(ticket)).toMatchObject({ status: 'success', carrierRef: 'mine' })
  })
})
