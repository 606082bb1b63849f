import { describe, expect, it } from 'vitest'
import { turns } from '../../support/turns.ts'
import { accepted, BALANCE, openDelivery, RETRIES, VALIDITY } from '../delivering.ts'

const PAIR = ['north', 'south']

async function openPair() {
  const opened = await openDelivery({ carriers: PAIR })
  const [north, south] = [opened.carrierNamed('north'), opened.carrierNamed('south')]
  north.onSubmit = ({ ticket }) => accepted(`n-${ticket}`)
  south.onSubmit = ({ ticket }) => accepted(`s-${ticket}`)
  return { ...opened, north, south }
}

describe('a message whose first carrier', () => {
  it.each([
    ['is busy', { kind: 'later', reason: 'throttled', afterMs: 1_000 }],
    ['did not take it', { kind: 'not_taken', reason: 'system error' }],
  ] as const)('%s goes to the second at once', async (_, outcome) => {
    const { north, south, send, work, message } = await openPair()
    north.onSubmit = () => outcome
    const ticket = await send()
    await work()
    expect(north.submitted).toEqual([ticket])
    expect(south.submitted).toEqual([ticket])
    await south.take([{ ref: `s-${ticket}`, verdict: 'success' }])
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })

  it('did not answer goes nowhere else', async () => {
    const { north, south, send, work, pass } = await openPair()
    north.onSubmit = () => ({ kind: 'uncertain' })
    await send()
    await work()
    pass(VALIDITY / 2)
    await work()
    expect(south.submitted).toEqual([])
  })

  it('refused it for good ends there', async () => {
    const { north, south, send, work, message } = await openPair()
    north.onSubmit = () => ({ kind: 'rejected', reason: 'blocked' })
    const ticket = await send()
    await work()
    expect(south.submitted).toEqual([])
    expect(await message(ticket)).toMatchObject({ status: 'rejected', failureReason: 'blocked' })
  })

  it('has taken a part of it gets the rest', async () => {
    const { north, south, send, work, pass } = await openPair()
    const rest = { kind: 'later', reason: 'throttled', afterMs: 1_000 } as const
    north.onSubmit = () => ({ kind: 'partly', refs: [{ part: 0, ref: 'a' }], parts: 2, rest })
    await send()
    await work()
    pass(1_000)
    await work()
    expect(north.submitted).toHaveLength(2)
    expect(south.submitted).toEqual([])
  })

  it('is away when it is accepted goes to the second from the start', async () => {
    const { north, south, send, work, laneOf } = await openPair()
    north.takes = 'away'
    const ticket = await send()
    expect(await laneOf(ticket)).toMatchObject({ lane: 'south' })
    await work()
    expect(north.submitted).toEqual([])
    expect(south.submitted).toEqual([ticket])
  })

  it('goes away afterwards is found another one, after a while for other processes', async () => {
    const { north, south, send, work, pass } = await openPair()
    const ticket = await send()
    north.takes = 'away'
    expect(await work()).toBe(false)
    pass(10_000)
    await work()
    expect(north.submitted).toEqual([])
    expect(south.submitted).toEqual([ticket])
  })

  it('keeps failing, like the second, has failed when the retries are used up', async () => {
    const { north, south, send, work, pass, message, wallet } = await openPair()
    for (const carrier of [north, south])
      carrier.onSubmit = () => ({ kind: 'not_taken', reason: 'system error' })
    const ticket = await send()
    await work()
    for (const pause of RETRIES) {
      pass(pause)
      await work()
    }
    expect(north.submitted.length + south.submitted.length).toBe(RETRIES.length + 1)
    expect(await message(ticket)).toMatchObject({ status: 'failed' })
    expect(await wallet()).toMatchObject({ posted: BALANCE, held: 0 })
  })
})

describe('a carrier that is away, and the only one', () => {
  const openNorth = () => openDelivery({ carriers: PAIR.slice(0, 1) })

  it('for an hour costs no message: they go out when it is back, and use up no attempt', async () => {
    const { carrier, send, work, pass, message } = await openNorth()
    carrier.takes = 'away'
    carrier.change()
    const ticket = await send()
    for (let minute = 0; minute < 60; minute++) {
      pass(60_000)
      await work()
    }
    expect(carrier.submitted).toEqual([])
    carrier.takes = 10
    carrier.change()
    await turns()
    await work()
    expect(carrier.submitted).toEqual([ticket])
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
  })

  it('lets messages expire at the end of their validity', async () => {
    const { carrier, send, work, pass, message, wallet } = await openNorth()
    carrier.takes = 'away'
    const ticket = await send()
    for (let hour = 0; hour < VALIDITY / 3_600_000 + 1; hour++) {
      pass(3_600_000)
      await work()
    }
    expect(await message(ticket)).toMatchObject({ status: 'expired' })
    expect(await wallet()).toMatchObject({ posted: BALANCE, held: 0 })
    expect(carrier.submitted).toEqual([])
  })

  it('because it was paused takes them up when it is resumed', async () => {
    const { carrier, fleet, send, work, pass } = await openNorth()
    fleet.pause(new Set(['north']))
    const ticket = await send()
    pass(60_000)
    await work()
    expect(carrier.submitted).toEqual([])
    fleet.pause(new Set())
    await turns()
    await work()
    expect(carrier.submitted).toEqual([ticket])
  })
})

describe('a busy carrier', () => {
  it('that throttles a message gets it later, as often as it takes, without an attempt', async () => {
    const { carrier, send, work, pass, message } = await openDelivery({ carriers: PAIR.slice(0, 1) })
    carrier.onSubmit = () => ({ kind: 'later', reason: 'throttled', afterMs: 1_000 })
    const ticket = await send()
    for (let time = 0; time < 20; time++) {
      await work()
      pass(1_000)
    }
    expect(carrier.submitted).toHaveLength(20)
    carrier.onSubmit = () => accepted('a')
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
  })
})
