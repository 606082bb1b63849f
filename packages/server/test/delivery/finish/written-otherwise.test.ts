import { describe, expect, it } from 'vitest'
import type { Receipt } from '../../../src/delivery/carrier.ts'
import { aPlace, ENGINES } from '../../support/bench.ts'
import { eventually } from '../../support/eventually.ts'
import { accepted, openDelivery } from '../delivering.ts'

const FIRST = '233241000003'
const SECOND = '233241000004'
const delivered = (ref: string, recipient?: string): Receipt => ({
  ref,
  verdict: 'success',
  ...(recipient !== undefined && { recipient }),
})

describe.each(ENGINES)('a carrier’s references on %s', (engine) => {
  const openNorth = async () => openDelivery({ place: await aPlace(engine), carriers: ['north'] })
  type North = Awaited<ReturnType<typeof openNorth>>

  /** Sends a message that the carrier takes and names so. */
  async function taken({ carrier, send, work }: North, to: string, ref: string) {
    carrier.onSubmit = () => accepted(ref)
    const ticket = await send(to)
    await work()
    return ticket
  }

  it('end each its own message, though they differ in capitals alone', async () => {
    const north = await openNorth()
    const first = await taken(north, FIRST, 'qWeX2')
    const second = await taken(north, SECOND, 'QwEx2')
    await north.carrier.take([{ ...delivered('QwEx2', SECOND), verdict: 'undelivered' }])
    expect(await north.message(second)).toMatchObject({ status: 'undelivered', carrierRef: 'QwEx2' })
    expect(await north.message(first)).toMatchObject({ status: 'pending' })
    await north.carrier.take([delivered('qWeX2', FIRST)])
    expect(await north.message(first)).toMatchObject({ status: 'success', carrierRef: 'qWeX2' })
  })

  it('end no other message when the receipt comes before the answer', async () => {
    const north = await openNorth()
    const first = await taken(north, FIRST, 'qWeX2')
    await north.carrier.take([delivered('QwEx2', SECOND)])
    expect(await north.message(first)).toMatchObject({ status: 'pending' })
    const second = await taken(north, SECOND, 'QwEx2')
    expect(await north.message(second)).toMatchObject({ status: 'success', carrierRef: 'QwEx2' })
  })

  it.each([
    ['F00000004', 'f00000004'],
    ['0000012345', '12345'],
    ['12345', '0000012345'],
    ['39F99DD5', '972660181'],
    ['972660181', '39f99dd5'],
  ])('find %s by a receipt for %s, to the same number', async (answer, receipt) => {
    const north = await openNorth()
    const ticket = await taken(north, FIRST, answer)
    await north.carrier.take([delivered(receipt), delivered(receipt, SECOND)])
    expect(await north.message(ticket)).toMatchObject({ status: 'pending' })
    await north.carrier.take([delivered(receipt, `+${FIRST}`)])
    expect(await north.message(ticket)).toMatchObject({ status: 'success', carrierRef: answer })
  })

  it('find none where two messages to the number fit', async () => {
    const north = await openNorth()
    const both = [await taken(north, FIRST, 'AB'), await taken(north, FIRST, 'aB')]
    await north.carrier.take([delivered('Ab', FIRST)])
    for (const ticket of both) expect(await north.message(ticket)).toMatchObject({ status: 'pending' })
  })

  it('need no number where the operator says that they are numbers', async () => {
    const north = await openNorth()
    north.carrier.hasNumericIds = true
    const ticket = await taken(north, FIRST, '0039F99DD5')
    await north.carrier.take([delivered('39f99dd5')])
    expect(await north.message(ticket)).toMatchObject({ status: 'success' })
  })

  it('are found by an earlier receipt that is written otherwise, and nothing is left of it', async () => {
    const north = await openNorth()
    await north.carrier.take([delivered('f4', FIRST)])
    const ticket = await taken(north, FIRST, '00F4')
    expect(await north.message(ticket)).toMatchObject({ status: 'pending' })
    await north.fleet.matchReceipts()
    expect(await north.message(ticket)).toMatchObject({ status: 'success', carrierRef: '00F4' })
    await eventually('nothing is left of it', async () => (await north.refs()).length === 0)
  })

  it('find the parts of a long message, each by its own', async () => {
    const north = await openNorth()
    north.carrier.onSubmit = () => ({
      kind: 'accepted',
      parts: 2,
      refs: [
        { part: 0, ref: 'A0' },
        { part: 1, ref: 'A1' },
      ],
    })
    const ticket = await north.send(FIRST)
    await north.work()
    await north.carrier.take([delivered('a0', FIRST)])
    expect(await north.message(ticket)).toMatchObject({ status: 'pending' })
    await north.carrier.take([delivered('a1', FIRST)])
    expect(await north.message(ticket)).toMatchObject({ status: 'success', carrierRef: 'A0 A1' })
  })
})
