import smpp, { type PDU, type Session } from 'smpp'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SubmitOutcome } from '../../../src/delivery/carrier.ts'
import type { SmppSettings } from '../../../src/delivery/carriers/settings.ts'
import { foldedRef } from '../../../src/kernel/carrier-reference.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.ts'
import { carrierTo, inFirstThread, submission, up } from './smpp-carrier.ts'
import { smppThread } from './smpp-threads.ts'

type Answer = 'throttled' | 'hang up' | 'taken'

/** A carrier made of the npm package `smpp`, which shares no code with ours. */
async function independentCarrier(ids: 'same' | 'hex-then-decimal', port: number) {
  const taken: PDU[] = []
  const binds: PDU[] = []
  const sessions = new Set<Session>()
  let acknowledged = 0
  let unbinds = 0
  let lastId = 0xb000_0000 + Math.floor(performance.now())
  const behaviour: { answer(pdu: PDU): Answer } = { answer: () => 'taken' }

  const server = smpp.createServer((session) => {
    sessions.add(session)
    session.on('error', () => {})
    session.on('bind_transceiver', (pdu) => {
      binds.push(pdu)
      session.send(pdu.response({ system_id: 'independent' }))
    })
    session.on('enquire_link', (pdu) => session.send(pdu.response()))
    session.on('unbind', (pdu) => {
      unbinds++
      session.send(pdu.response())
      session.close()
    })
    session.on('submit_sm', (pdu) => submitted(session, pdu))
  })

  function submitted(session: Session, pdu: PDU): void {
    const answer = behaviour.answer(pdu)
    if (answer === 'hang up') session.destroy()
    else if (answer === 'throttled') session.send(pdu.response({ command_status: smpp.ESME_RTHROTTLED }))
    else {
      taken.push(pdu)
      const id = ++lastId
      session.send(pdu.response({ message_id: id.toString(16).toUpperCase().padStart(10, '0') }))
      const told = ids === 'same' ? id.toString(16) : String(id)
      const state = 'submit date:2601010000 done date:2601010001 stat:DELIVRD err:000 text:'
      session.deliver_sm(
        {
          source_addr: pdu.destination_addr,
          destination_addr: pdu.source_addr,
          esm_class: 4,
          short_message: `id:${told} sub:001 dlvrd:001 ${state}`,
        },
        (response) => {
          if (response.command_status === 0) acknowledged++
        },
      )
    }
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  const close = () => {
    server.close()
    for (const session of sessions) session.destroy()
  }
  onTestFinished(close)
  return {
    port,
    taken,
    binds,
    behaviour,
    close,
    acknowledged: () => acknowledged,
    unbinds: () => unbinds,
  }
}

const refsIn = (outcome: SubmitOutcome) => (outcome.kind === 'accepted' ? outcome.refs : [])
/** Its answers have capitals and zeros that its receipts lack. */
const foldsIn = (named: readonly { ref: string }[]) => named.map(({ ref }) => foldedRef(ref)).sort()

describe.each([
  ['same', 'the first thread', () => inFirstThread],
  ['hex-then-decimal', 'the first thread', () => inFirstThread],
  ['same', 'another thread', () => smppThread().hosting],
  ['hex-then-decimal', 'another thread', () => smppThread().hosting],
] as const)('with an independent carrier, ids %s, in %s', (ids, _, open) => {
  async function connected(settings: Partial<SmppSettings> = {}) {
    const peer = await independentCarrier(ids, await freePort())
    const opened = carrierTo(peer.port, { ids, ...settings }, systemClock, open())
    await up(opened.carrier)
    return { peer, ...opened }
  }

  it('binds, submits, hears and acknowledges the receipt, and unbinds', async () => {
    const { peer, carrier, receipts } = await connected()
    expect(peer.binds).toMatchObject([{ system_id: 'demo', password: 'secret', interface_version: 0x34 }])
    const outcome = await carrier.submit(submission({ content: 'Hello {world} €5 @home' }))
    expect(peer.taken).toMatchObject([
      {
        source_addr: 'Wigwag',
        source_addr_ton: 5,
        destination_addr: '233240000000',
        data_coding: 0,
        registered_delivery: 1,
        short_message: { message: 'Hello {world} €5 @home' },
      },
    ])
    await eventually('the receipt', () => receipts.length === 1)
    expect(outcome).toMatchObject({ kind: 'accepted', parts: 1, refs: [{ part: 0 }] })
    expect(foldsIn(receipts)).toEqual(foldsIn(refsIn(outcome)))
    await eventually('its acknowledgement', () => peer.acknowledged() === 1)
    await carrier.close(500)
    await eventually('it unbinds', () => peer.unbinds() === 1)
  })

  it('submits long texts and Unicode in parts, each with its own receipt', async () => {
    const { peer, carrier, receipts } = await connected()
    const long = await carrier.submit(submission({ content: 'Long. '.repeat(60) }))
    const content = 'Grüße, 你好 🙂 '.repeat(12)
    const unicode = await carrier.submit(submission({ content, encoding: 'UCS-2' }))
    await eventually('the receipts', () => receipts.length === 6)
    expect([long, unicode]).toMatchObject([
      { kind: 'accepted', parts: 3 },
      { kind: 'accepted', parts: 3 },
    ])
    expect(foldsIn(receipts)).toEqual(foldsIn([long, unicode].flatMap(refsIn)))
    const texts = peer.taken.map(({ short_message: { message } }) => message)
    expect(texts.slice(0, 3).join('')).toBe('Long. '.repeat(60))
    expect(texts.slice(3).join('')).toBe(content)
    expect(peer.taken.every(({ short_message: { udh } }) => udh?.[0]?.length === 5)).toBe(true)
  })

  it('rests when it is throttled, and loses nothing', async () => {
    const { peer, carrier } = await connected({ window: 1 })
    let throttled = 0
    peer.behaviour.answer = () => (throttled++ === 0 ? 'throttled' : 'taken')
    const outcomes = await Promise.all([carrier.submit(submission()), carrier.submit(submission())])
    const later = { kind: 'later', reason: expect.stringContaining('RTHROTTLED') }
    expect(outcomes).toMatchObject([later, later])
    await up(carrier)
    expect(await carrier.submit(submission())).toMatchObject({ kind: 'accepted' })
    expect(carrier.state()).toMatchObject({ kind: 'up', rests: 1 })
  })

  it('calls uncertain what a hang-up leaves without an answer, and binds again', async () => {
    const { peer, carrier, receipts } = await connected({ window: 3 })
    let submitted = 0
    // One of the first window: what waits beyond it is given back after a second.
    peer.behaviour.answer = () => (++submitted === 2 ? 'hang up' : 'taken')
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => carrier.submit(submission())))
    const count = (kind: string) => outcomes.filter((outcome) => outcome.kind === kind).length
    expect(count('uncertain')).toBeGreaterThanOrEqual(1)
    expect(count('uncertain')).toBeLessThanOrEqual(3)
    expect(count('accepted') + count('uncertain') + count('later')).toBe(12)
    await up(carrier)
    const heard = receipts.length
    expect(await carrier.submit(submission())).toMatchObject({ kind: 'accepted' })
    await eventually('its receipt', () => receipts.length > heard)
  })

  it('comes back after a restart', async () => {
    const { peer, carrier, receipts } = await connected()
    peer.close()
    await eventually('the loss', () => carrier.state().kind === 'away')
    expect(await carrier.submit(submission())).toMatchObject({ kind: 'later' })
    const again = await independentCarrier(ids, peer.port)
    await up(carrier)
    expect(await carrier.submit(submission())).toMatchObject({ kind: 'accepted' })
    await eventually('the receipt', () => receipts.length === 1)
    expect(again.taken).toHaveLength(1)
  })
})
