import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../server/test/support/eventually.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { handClock, passUntil } from '../../server/test/support/hand-clock.ts'
import { type ClientOptions, type ClientReceipt, type IncomingText, SmppClient } from '../src/client.ts'
import { encodeMessage, encodeMessageResponse } from '../src/codec/encode.ts'
import { COMMAND } from '../src/codec/pdu.ts'
import { startSmsc } from '../src/smsc/smsc.ts'
import { STATUS } from '../src/status.ts'
import { fakeCarrier, rawCarrier, shortMessage } from './peers.ts'

const TEXT = { from: 'WIGWAG', to: '233241234567', text: 'Hello' }

function clientOf(port: number, options: Partial<ClientOptions> = {}): SmppClient {
  const own = { host: '127.0.0.1', port, systemId: 'demo', password: 'secret', reconnectMs: 5, restMs: 5 }
  const client = new SmppClient({ ...own, ...options })
  onTestFinished(() => client.close(0))
  return client
}

describe('a client', () => {
  it('sends a text as soon as it is connected, and brings its receipt', async () => {
    const carrier = await fakeCarrier()
    const receipts: ClientReceipt[] = []
    const client = clientOf(carrier.port, { onReceipt: (receipt) => void receipts.push(receipt) })
    const sent = await client.send(TEXT)
    expect(sent).toMatchObject({ kind: 'accepted', ids: [expect.any(String)] })
    await eventually('the receipt came', () => receipts.length === 1)
    expect(receipts).toEqual([{ id: sent.ids[0], state: 'delivered', error: '000', from: TEXT.to }])
    expect(carrier.taken).toMatchObject([{ source: 'WIGWAG', destination: TEXT.to, text: 'Hello' }])
  })

  it.each([
    ['GSM-7', 'a'.repeat(400), 3],
    ['UCS-2', 'ж'.repeat(200), 3],
  ])('cuts a long text of %s into parts that a phone can join, in their order', async (_, text, count) => {
    const carrier = await fakeCarrier()
    const client = clientOf(carrier.port)
    const sent = await client.send({ ...TEXT, text })
    expect(sent.ids).toHaveLength(count)
    expect(carrier.taken.map(({ part }) => part?.number)).toEqual([1, 2, 3])
    expect(new Set(carrier.taken.map(({ part }) => part?.reference)).size).toBe(1)
    expect(carrier.taken.map(({ text }) => text).join('')).toBe(text)
  })

  it('keeps its window, however much is sent at once', async () => {
    let open = 0
    let most = 0
    const waiting: (() => void)[] = []
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind !== 'submit_sm') return
      most = Math.max(most, ++open)
      waiting.push(() => {
        open--
        socket.write(
          encodeMessageResponse(COMMAND.submitSm, pdu.sequence, 0, { messageId: `id-${pdu.sequence}` }),
        )
      })
    })
    const client = clientOf(carrier.port, { window: 4 })
    const all = Promise.all(Array.from({ length: 50 }, () => client.send(TEXT)))
    let answered = 0
    while (answered < 50) {
      await eventually('more came', () => waiting.length > 0)
      for (const answer of waiting.splice(0)) {
        answered++
        answer()
      }
    }
    expect((await all).map(({ kind }) => kind)).toEqual(Array(50).fill('accepted'))
    expect(most).toBe(4)
  })

  it('sends again what a busy carrier did not take, and nothing that it took', async () => {
    const seen: number[] = []
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind !== 'submit_sm') return
      seen.push(pdu.message.body[5] ?? 0)
      const status = seen.length === 2 ? STATUS.throttled : 0
      socket.write(encodeMessageResponse(COMMAND.submitSm, pdu.sequence, status, { messageId: 'x' }))
    })
    const client = clientOf(carrier.port)
    const sent = await client.send({ ...TEXT, text: 'a'.repeat(400) })
    expect(sent.kind).toBe('accepted')
    expect(seen.slice(0, 3)).toEqual([1, 2, 3])
    expect(seen.filter((part) => part === 1)).toHaveLength(1)
    expect(seen.filter((part) => part === 2)).toHaveLength(2)
  })

  it('says that a text is uncertain when the connection went with it unanswered', async () => {
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind === 'submit_sm') socket.destroy()
    })
    const client = clientOf(carrier.port)
    expect(await client.send(TEXT)).toEqual({ kind: 'uncertain', ids: [], answers: [{ kind: 'uncertain' }] })
  })

  it('tells a refused text with the reason of the carrier', async () => {
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind === 'submit_sm')
        socket.write(encodeMessageResponse(COMMAND.submitSm, pdu.sequence, STATUS.invalidDestination))
    })
    const client = clientOf(carrier.port)
    const { kind, answers } = await client.send(TEXT)
    expect(kind).toBe('rejected')
    expect(answers).toEqual([{ kind, reason: 'the carrier answered RINVDSTADR (0x0000000b)' }])
  })

  it('waits for a carrier that is away, and comes back to one that hangs up', async () => {
    const port = await freePort()
    const client = clientOf(port)
    const first = client.send(TEXT)
    const smsc = await startSmsc({ port })
    onTestFinished(() => smsc.close())
    expect((await first).kind).toBe('accepted')
    smsc.hangUp()
    await eventually('it is seen', () => client.state === 'connecting')
    expect((await client.send(TEXT)).kind).toBe('accepted')
  })

  it('gives up a text that waits too long, of which nothing was sent', async () => {
    const client = clientOf(await freePort(), { waitMs: 10 })
    const { kind, answers } = await client.send(TEXT)
    expect([kind, answers]).toEqual(['later', [expect.objectContaining({ kind: 'later' })]])
  })

  it('gives back what waits when it is closed', async () => {
    const client = clientOf(await freePort())
    const sent = client.send(TEXT)
    await client.close(0)
    expect(await sent).toMatchObject({ kind: 'later' })
    expect(client.state).toBe('closed')
  })

  it('says why it is not connected, without the password', async () => {
    const carrier = await fakeCarrier({ password: 'another' })
    const states: string[] = []
    clientOf(carrier.port, { onState: (state, reason) => void states.push(`${state} ${reason}`) })
    await eventually('it was told', () => states.length > 0)
    expect(states[0]).toContain('RINVPASWD')
    expect(states.join()).not.toContain('secret')
  })

  it('brings texts from phones, and asks for one again that could not be kept', async () => {
    const answers: number[] = []
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind === 'deliver_sm_resp') answers.push(pdu.status)
      if (pdu.kind !== 'bind') return
      const source = { ton: 1, npi: 1, digits: '233241234567' }
      const body = Buffer.from('Привет', 'utf16le').swap16()
      const message = shortMessage({ source, dataCoding: 8, body, esmClass: 0 })
      for (const sequence of [1, 2]) socket.write(encodeMessage(COMMAND.deliverSm, message, sequence))
    })
    const texts: IncomingText[] = []
    clientOf(carrier.port, {
      onMessage(text) {
        texts.push(text)
        if (texts.length === 1) throw new Error('the disk is full')
      },
    })
    await eventually('both were answered', () => answers.length === 2)
    expect(answers.toSorted((a, b) => a - b)).toEqual([0, STATUS.temporary])
    expect(texts[0]).toEqual({ from: '233241234567', to: '233240000000', text: 'Привет' })
  })

  it.each([
    ['', 'expected a text of at least 1 character, got none'],
    ['a'.repeat(153 * 256), 'expected a text of at most 255 parts, got one of 256'],
  ])('refuses a text that no carrier can be given', async (text, reason) => {
    const carrier = await fakeCarrier()
    const { kind, answers } = await clientOf(carrier.port).send({ ...TEXT, text })
    expect([kind, answers]).toEqual(['rejected', [{ kind: 'rejected', reason }]])
    expect(carrier.taken).toEqual([])
  })

  it('wakes those that wait, not those that gave up before the carrier was back', async () => {
    const clock = handClock()
    const port = await freePort()
    const anHourMs = 3_600_000
    const client = clientOf(port, { clock, waitMs: anHourMs, responseMs: anHourMs, window: 4 })
    onTestFinished(() => passUntil(clock, client.close(0)))
    const gaveUp = Promise.all(Array.from({ length: 30 }, () => client.send(TEXT)))
    clock.pass(anHourMs)
    expect(new Set((await gaveUp).map(({ kind }) => kind))).toEqual(new Set(['later']))
    const smsc = await startSmsc({ port })
    onTestFinished(() => smsc.close())
    let kind = ''
    void client.send(TEXT).then((sent) => {
      kind = sent.kind
    })
    // Bit by bit: a try that fails late is repeated only after that.
    await eventually('it is bound', () => {
      clock.pass(20)
      return client.state === 'bound'
    })
    await eventually('it is sent', () => kind !== '')
    expect(kind).toBe('accepted')
  })
})
