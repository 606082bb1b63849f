import { describe, expect, it } from 'vitest'
import { turns } from '../../support/turns.ts'
import { ASK_AGAIN, BALANCE, LEASE, openDelivery, PRICE, RETRIES, VALIDITY } from '../delivering.ts'

/** A delivery whose one message was claimed by somebody who then vanished. */
async function openAfterCrash() {
  const opened = await openDelivery()
  const ticket = await opened.send()
  await opened.take('dispatch')
  opened.pass(LEASE)
  return { ...opened, ticket }
}

describe('a message whose submission nobody saw the end of', () => {
  it('is asked about, and not submitted again while the carrier does not know', async () => {
    const { ticket, work, pass, carrier, message } = await openAfterCrash()
    for (let round = 0; round < 3; round++) {
      expect(await work()).toBe(true)
      pass(ASK_AGAIN * 4)
    }
    expect(carrier.asked).toEqual(Array(3).fill({ ticket, ref: undefined }))
    expect(carrier.submitted).toEqual([])
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
  })

  it('is submitted again when the carrier is sure that it never got it', async () => {
    const { ticket, work, carrier } = await openAfterCrash()
    carrier.onQuery = () => ({ kind: 'never_received' })
    await work()
    expect(carrier.submitted).toEqual([ticket])
    expect(await work()).toBe(false)
  })

  it('is waited for when the carrier has it', async () => {
    const { ticket, work, pass, carrier, jobs } = await openAfterCrash()
    carrier.onQuery = () => ({ kind: 'under_way', ref: 'found' })
    await work()
    expect(await jobs('await')).toMatchObject([{ id: ticket }])
    pass(ASK_AGAIN)
    await work()
    expect(carrier.asked).toEqual([
      { ticket, ref: undefined },
      { ticket, ref: 'found' },
    ])
    expect(carrier.submitted).toEqual([])
  })

  it('is final at once when the carrier knows how it ended', async () => {
    const { ticket, work, carrier, message, wallet } = await openAfterCrash()
    carrier.onQuery = () => ({ kind: 'final', receipt: { ticket, ref: 'found', verdict: 'success' } })
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'success', cost: PRICE })
    expect(await wallet()).toEqual({ posted: BALANCE - PRICE, held: 0, entries: 2 })
    expect(carrier.submitted).toEqual([])
  })

  it('expires at the end of its validity, without ever being submitted again', async () => {
    const { ticket, work, pass, carrier, message, wallet } = await openAfterCrash()
    pass(VALIDITY)
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'expired', cost: 0 })
    expect(await wallet()).toMatchObject({ posted: BALANCE, held: 0 })
    expect(carrier.submitted).toEqual([])
  })

  it('is one whose outcome the carrier could not tell, too', async () => {
    const { send, work, pass, carrier } = await openDelivery()
    carrier.onSubmit = () => ({ kind: 'uncertain' })
    const ticket = await send()
    await work()
    pass(ASK_AGAIN - 1)
    expect(await work()).toBe(false)
    pass(1)
    await work()
    expect(carrier.submitted).toEqual([ticket])
    expect(carrier.asked).toEqual([{ ticket, ref: undefined }])
  })

  it('has all its retries left, however often it was asked about', async () => {
    const { ticket, work, pass, carrier, message } = await openAfterCrash()
    for (let round = 0; round < 4; round++) {
      await work()
      pass(ASK_AGAIN * 16)
    }
    carrier.onQuery = () => ({ kind: 'never_received' })
    carrier.onSubmit = () => ({ kind: 'not_taken', reason: 'busy' })
    await work()
    for (const pause of RETRIES) {
      expect(await message(ticket)).toMatchObject({ status: 'pending' })
      pass(pause)
      await work()
    }
    expect(carrier.submitted).toHaveLength(RETRIES.length + 1)
    expect(await message(ticket)).toMatchObject({ status: 'failed' })
  })

  it('is settled by its latest claimer alone: the one before comes too late', async () => {
    const { send, take, pass, dispatch, carrier, message, jobs } = await openDelivery()
    const ticket = await send()
    const [before] = await take('dispatch')
    if (!before) throw new Error('expected a job')
    pass(LEASE)
    const [latest] = await take('dispatch')
    if (!latest) throw new Error('expected a job')
    carrier.onQuery = () => ({ kind: 'under_way', ref: 'found' })
    await dispatch([latest])
    carrier.onSubmit = () => ({ kind: 'not_taken', reason: 'busy' })
    await dispatch([before])
    expect(await jobs('dispatch')).toEqual([])
    expect(await jobs('await')).toMatchObject([{ id: ticket }])
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
  })
})

describe('a submission that another process has claimed since', () => {
  it.each([
    ['refused', { kind: 'rejected', reason: 'blocked' }],
    ['not taken, for the last time', { kind: 'not_taken', reason: 'busy' }],
  ] as const)('is not ended by the one before, to whom it was %s', async (_, outcome) => {
    const { send, take, pass, dispatch, carrier, message, wallet } = await openDelivery()
    const ticket = await send()
    const [before] = await take('dispatch')
    if (!before) throw new Error('expected a job')
    pass(LEASE)
    await take('dispatch')
    carrier.onSubmit = () => outcome
    await dispatch([{ ...before, attempts: RETRIES.length }])
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
    expect(await wallet()).toMatchObject({ posted: BALANCE, held: PRICE })
  })

  it('is ended by a receipt, whichever process holds it', async () => {
    const { send, take, pass, carrier, message } = await openDelivery()
    const ticket = await send()
    await take('dispatch')
    pass(LEASE)
    await take('dispatch')
    await carrier.take([{ ticket, ref: 'ref', verdict: 'success' }])
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })
})

describe('a carrier that cannot be asked', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('query is down'))],
    ['never answers', () => new Promise<never>(() => {})],
  ])('takes fresh messages while its query %s', async (_, query) => {
    const { send, take, pass, carrier, dispatch } = await openDelivery()
    const old = await send()
    await take('dispatch')
    pass(LEASE)
    const fresh = await send()
    carrier.onQuery = query
    await dispatch(await take('dispatch'))
    expect(carrier.submitted).toEqual([fresh])
    expect(carrier.submitted).not.toContain(old)
  })

  it('is asked again later, and its fault is reported', async () => {
    const { ticket, work, pass, carrier, faults, jobs, message } = await openAfterCrash()
    carrier.onQuery = () => Promise.reject(new Error('query is down'))
    await work()
    expect(faults).toMatchObject([{ message: 'query is down' }])
    expect(await jobs('await')).toMatchObject([{ id: ticket }])
    carrier.onQuery = () => ({ kind: 'final', receipt: { ticket, ref: 'found', verdict: 'success' } })
    pass(ASK_AGAIN)
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })

  it('is not waited for longer than a minute', async () => {
    const { ticket, take, pass, awaitReceipts, dispatch, carrier, faults, jobs } = await openAfterCrash()
    await dispatch(await take('dispatch'))
    carrier.onQuery = () => new Promise<never>(() => {})
    const asking = awaitReceipts(await take('await'))
    await turns()
    pass(60_000)
    await asking
    expect(faults).toMatchObject([{ message: 'the carrier has not answered for 60 s' }])
    expect(await jobs('await')).toMatchObject([{ id: ticket }])
  })

  it('whose submit fails may have taken the message, so it is asked and not sent again', async () => {
    const { send, work, pass, carrier } = await openDelivery()
    const ticket = await send()
    const { submit } = carrier
    carrier.submit = () => Promise.reject(new Error('the socket broke'))
    await work()
    carrier.submit = submit
    pass(ASK_AGAIN)
    await work()
    expect(carrier.asked).toEqual([{ ticket, ref: undefined }])
    expect(carrier.submitted).toEqual([])
  })
})
