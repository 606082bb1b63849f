import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../server/test/support/eventually.ts'
import { handClock } from '../../server/test/support/hand-clock.ts'
import { encodeBare, encodeBind, encodeMessage, encodeQuery } from '../src/codec/encode.ts'
import { type Bind, COMMAND, type Pdu, type ShortMessage } from '../src/codec/pdu.ts'
import { Connection } from '../src/link/connection.ts'
import type { Link } from '../src/link/link.ts'
import { bound, boundTo, fakeCarrier, linkTo, shortMessage } from './peers.ts'

const ignored = () => {}
const bindAs = (kind: Bind['kind'], systemId = 'demo'): Bind => {
  return { kind, systemId, password: 'x', systemType: '', version: 0x34 }
}

/** A client that writes what the test says, and keeps what it hears. */
async function rawClient(port: number) {
  const heard: Pdu[] = []
  const socket = connect(port, '127.0.0.1')
  const connection = new Connection(socket, { onPdu: (pdu) => heard.push(pdu), onEnd: () => {} })
  onTestFinished(() => void socket.destroy())
  /** Resolves with the answer. */
  async function ask(pdu: Buffer): Promise<Pdu | undefined> {
    const before = heard.length
    connection.write(pdu)
    await eventually('an answer', () => heard.length > before)
    return heard[before]
  }
  return { ask, heard }
}

/** Submits a message, and then asks for another: what the carrier sends in between has come before its answer. */
async function submitThenAsk({ link }: { link: Link }, changes: Partial<ShortMessage> = {}): Promise<void> {
  const message = shortMessage(changes)
  await link.submit(message, ignored)
  expect(await link.query('another', message.source)).toEqual({ kind: 'unknown' })
}

describe('the fake carrier', () => {
  it('gives no id twice, also after a restart', async () => {
    const ids = new Set<string>()
    for (let run = 0; run < 2; run++) {
      const { carrier, link } = await boundTo({})
      await Promise.all(Array.from({ length: 5 }, () => link.submit(shortMessage(), ignored)))
      for (const { id } of carrier.taken) ids.add(id)
      await carrier.close()
    }
    expect(ids.size).toBe(10)
  })

  it('says how often it took the same text from a sender to a recipient', async () => {
    const { carrier, link } = await boundTo({})
    const other = shortMessage({ body: Buffer.from('other') })
    for (const message of [shortMessage(), other, shortMessage()]) await link.submit(message, ignored)
    expect(carrier.taken.map(({ times }) => times)).toEqual([1, 1, 2])
    expect(carrier.counts()).toEqual({ taken: 3, refused: 0, throttled: 0, repeated: 1 })
  })

  it('takes a message and hangs up, or forgets its receipt, as it is told', async () => {
    const hanging = await boundTo({ hangupPercent: 100 })
    expect(await hanging.link.submit(shortMessage(), ignored)).toEqual({ kind: 'uncertain' })
    expect(hanging.carrier.taken).toHaveLength(1)
    const forgetful = await boundTo({ forgetPercent: 100 })
    await submitThenAsk(forgetful)
    expect(forgetful.heard).toEqual([])
  })

  it('keeps receipts until a connection of the same client takes them', async () => {
    const { carrier, link } = await boundTo({}, { bind: bindAs('transmitter') })
    await link.submit(shortMessage(), ignored)
    const stranger = linkTo(carrier.port, { bind: bindAs('receiver', 'stranger') })
    await bound(stranger.link)
    const receiver = linkTo(carrier.port, { bind: bindAs('receiver') })
    await eventually('the receipt', () => receiver.heard.length === 1)
    expect(stranger.heard).toEqual([])
  })

  it('brings a receipt again that was not acknowledged before the connection was lost', async () => {
    const carrier = await fakeCarrier()
    let heard = 0
    const first = linkTo(
      carrier.port,
      {},
      {
        onMessage() {
          heard++
          return new Promise(() => {})
        },
      },
    )
    await bound(first.link)
    await first.link.submit(shortMessage(), ignored)
    await eventually('the receipt', () => heard === 1)
    await first.link.close(0)
    const second = linkTo(carrier.port)
    await eventually('the receipt again', () => second.heard.length === 1)
  })

  it('throttles beyond its pace', async () => {
    const clock = handClock()
    const { carrier, link } = await boundTo({ tps: 5, clock }, { window: 20, clock })
    const answers = await Promise.all(Array.from({ length: 12 }, () => link.submit(shortMessage(), ignored)))
    expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(carrier.counts().taken)
    expect(carrier.counts()).toMatchObject({ taken: 5, throttled: 7 })
  })

  it('refuses what comes before a bind, on the wrong kind of bind, and a second bind', async () => {
    const carrier = await fakeCarrier()
    const { ask } = await rawClient(carrier.port)
    const submit = () => encodeMessage(COMMAND.submitSm, shortMessage(), 1)
    const source = { ton: 5, npi: 0, digits: 'Wigwag' }
    expect(await ask(submit())).toMatchObject({ kind: 'submit_sm_resp', status: 0x04 })
    expect(await ask(encodeQuery('1', source, 2))).toMatchObject({ kind: 'generic_nack', status: 0x04 })
    expect(await ask(encodeBind(bindAs('receiver'), 3))).toMatchObject({ kind: 'bind_resp', status: 0 })
    expect(await ask(submit())).toMatchObject({ kind: 'submit_sm_resp', status: 0x04 })
    expect(await ask(encodeBind(bindAs('receiver'), 4))).toMatchObject({ kind: 'bind_resp', status: 0x05 })
    expect(await ask(encodeQuery('1', source, 5))).toMatchObject({ kind: 'query_sm_resp', status: 0x67 })
    expect(await ask(encodeBare(COMMAND.enquireLink, 6))).toMatchObject({ kind: 'enquire_link_resp' })
    expect(await ask(encodeBare(COMMAND.unbind, 7))).toMatchObject({ kind: 'unbind_resp' })
    expect(carrier.taken).toEqual([])
  })

  it('sends no receipt that was not asked for', async () => {
    const unasked = await boundTo({})
    await submitThenAsk(unasked, { registeredDelivery: 0 })
    expect(unasked.heard).toEqual([])
  })
})
