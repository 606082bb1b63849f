import { createServer, type Server } from 'node:net'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSelfSigned } from '../../server/test/platform/outbound/self-signed.ts'
import { eventually } from '../../server/test/support/eventually.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { handClock, passUntil } from '../../server/test/support/hand-clock.ts'
import { turns } from '../../server/test/support/turns.ts'
import { encodeBare, encodeBindResponse, encodeMessage, encodeMessageResponse } from '../src/codec/encode.ts'
import { COMMAND, type Pdu, RESPONSE } from '../src/codec/pdu.ts'
import { Connection } from '../src/link/connection.ts'
import type { Answer } from '../src/status.ts'
import { bound, boundTo, fakeCarrier, linkTo, rawCarrier, shortMessage } from './peers.ts'

const unexpected = () => expect.unreachable('no answer comes late')
const accept = (pdu: Pdu, messageId = '1') =>
  encodeMessageResponse(COMMAND.submitSm, pdu.sequence, 0, { messageId })
const deliver = (sequence: number) =>
  encodeMessage(COMMAND.deliverSm, shortMessage({ esmClass: 4 }), sequence)

function count(answers: readonly Answer[]): Partial<Record<Answer['kind'], number>> {
  const counts: Partial<Record<Answer['kind'], number>> = {}
  for (const { kind } of answers) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

describe('a submission', () => {
  it('is answered with the id of the carrier, and its receipt is heard', async () => {
    const { carrier, link, heard } = await boundTo({})
    const answer = await link.submit(shortMessage(), unexpected)
    expect(answer).toEqual({ kind: 'accepted', id: carrier.taken[0]?.id })
    await eventually('the receipt', () => heard.length === 1)
    expect(heard[0]?.body.toString()).toContain(`id:${carrier.taken[0]?.id} `)
  })

  it('that is refused says what the carrier answered', async () => {
    const { link } = await boundTo({}, { statuses: new Map([[0x08, 'uncertain']]) })
    const to = (digits: string) =>
      link.submit(shortMessage({ destination: { ton: 1, npi: 1, digits } }), unexpected)
    expect(await to('23324000003')).toEqual({
      kind: 'rejected',
      reason: 'the carrier answered RINVDSTADR (0x0000000b)',
    })
    // By the carrier's own meaning of RSYSERR.
    expect(await to('23324000004')).toEqual({ kind: 'uncertain' })
  })

  it('that cannot be written is rejected with the field, and the next one leaves', async () => {
    const { link } = await boundTo({})
    const long = shortMessage({ body: Buffer.alloc(255) })
    const answers = await Promise.all([
      link.submit(long, unexpected),
      link.submit(shortMessage(), unexpected),
    ])
    expect(answers).toMatchObject([
      { kind: 'rejected', reason: 'short_message: expected at most 254 octets, got 255' },
      { kind: 'accepted' },
    ])
  })

  it('waits for a place in the window, which is never exceeded', async () => {
    let open = 0
    let most = 0
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind !== 'submit_sm') return
      most = Math.max(most, ++open)
      const answer = Buffer.from(accept(pdu))
      setImmediate(() => {
        open--
        socket.write(answer)
      })
    })
    const { link } = linkTo(carrier.port, { window: 3 })
    await bound(link)
    const answers = Array.from({ length: 20 }, () => link.submit(shortMessage(), unexpected))
    expect(link.capacity()).toBe(0)
    expect(count(await Promise.all(answers))).toEqual({ accepted: 20 })
    expect(most).toBe(3)
    expect(link.capacity()).toBeGreaterThanOrEqual(3)
  })

  it('leaves at the pace of the carrier', async () => {
    const clock = handClock()
    const { carrier, link } = await boundTo({}, { tps: 100, window: 50, clock })
    const answers = Array.from({ length: 60 }, () => link.submit(shortMessage(), unexpected))
    await eventually('the first ten, which leave at once', () => carrier.taken.length === 10)
    let passed = 0
    for (; carrier.taken.length < 60; passed += 10) {
      clock.pass(10)
      await turns()
    }
    expect(count(await Promise.all(answers))).toEqual({ accepted: 60 })
    expect(passed).toBeGreaterThan(450)
    expect(carrier.counts()).toMatchObject({ taken: 60, throttled: 0 })
  })

  it('is given back when its turn does not come in time, but not while a part of it has left', async () => {
    const carrier = await rawCarrier(() => {})
    const clock = handClock()
    const { link } = linkTo(carrier.port, { window: 1, writtenWithinMs: 60, responseMs: 5_000, clock })
    await bound(link)
    const settled: string[] = []
    const submit = (name: string, continues = false) =>
      void link
        .submit(shortMessage(), unexpected, continues)
        .then(({ kind }) => settled.push(`${name} ${kind}`))
    submit('first')
    submit('second part of the first', true)
    submit('next')
    submit('second part of the next', true)
    await turns()
    clock.pass(75)
    await turns()
    expect(settled).toEqual(['next later', 'second part of the next later'])
    clock.pass(600)
    await turns()
    expect(settled.slice(2)).toEqual(['second part of the first later'])
    await passUntil(clock, link.close(0))
  })

  it('without an answer is uncertain, and the answer is told when it comes late', async () => {
    const clock = handClock()
    const times = { responseMs: 50, enquireMs: 5_000, clock }
    const { carrier, link } = await boundTo({ answerMs: 150, clock }, times)
    const late: Answer[] = []
    const answer = link.submit(shortMessage(), (answer) => late.push(answer))
    await eventually('it was taken', () => carrier.taken.length === 1)
    clock.pass(50)
    expect(await answer).toEqual({ kind: 'uncertain' })
    clock.pass(100)
    await eventually('the late answer', () => late.length === 1)
    expect(late).toMatchObject([{ kind: 'accepted' }])
  })

  it('that was written when the carrier hangs up is uncertain; what waited never left', async () => {
    let taken = 0
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind !== 'submit_sm') return
      if (++taken === 8) socket.destroy()
      else if (taken < 8) socket.write(accept(pdu))
    })
    const { link } = linkTo(carrier.port, { window: 4 })
    await bound(link)
    const found = count(
      await Promise.all(Array.from({ length: 40 }, () => link.submit(shortMessage(), unexpected))),
    )
    expect(found.uncertain).toBeGreaterThanOrEqual(1)
    expect(found.uncertain).toBeLessThanOrEqual(4)
    expect(found.later).toBeGreaterThanOrEqual(28)
    expect((found.accepted ?? 0) + (found.uncertain ?? 0) + (found.later ?? 0)).toBe(40)
    await bound(link)
  })

  it('goes on soon, however often the carrier hangs up after it has taken some', async () => {
    let taken = 0
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind !== 'submit_sm') return
      taken++
      socket.end(accept(pdu))
    })
    const clock = handClock()
    const { link } = linkTo(carrier.port, { reconnectMs: 1_000, clock })
    for (let connection = 1; connection <= 10; connection++) {
      await bound(link)
      expect(await link.submit(shortMessage(), unexpected)).toEqual({ kind: 'accepted', id: '1' })
      await eventually('the end of the connection', () => link.state === 'connecting')
      clock.pass(1_000)
    }
    expect(taken).toBe(10)
  })

  it('while there is no connection says when to try again', async () => {
    const carrier = await fakeCarrier()
    const { port } = carrier
    await carrier.close()
    const { link } = linkTo(port, { reconnectMs: 5_000, clock: handClock() })
    await eventually('the refusal', () => link.reason !== 'connecting')
    const answer = await link.submit(shortMessage(), unexpected)
    expect(answer).toMatchObject({
      kind: 'later',
      reason: expect.stringMatching(/^not connected: .*ECONNREFUSED/),
    })
    expect(answer).toMatchObject({ afterMs: 3_750 })
    expect(link.capacity()).toBe(0)
  })
})

describe('a busy carrier', () => {
  it('is left alone as a whole for longer and longer, and what waits for it is given back', async () => {
    let throttled = 0
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind !== 'submit_sm') return
      if (throttled++ < 3) socket.write(encodeMessageResponse(COMMAND.submitSm, pdu.sequence, 0x58))
      else socket.write(accept(pdu))
    })
    const clock = handClock()
    const { link, states } = linkTo(carrier.port, { window: 1, restMs: 40, clock })
    await bound(link)
    for (const restMs of [40, 80, 160]) {
      const answers = Array.from({ length: 8 }, () => link.submit(shortMessage(), unexpected))
      const later = {
        kind: 'later',
        reason: 'the carrier answered RTHROTTLED (0x00000058)',
        afterMs: restMs,
      }
      expect(await Promise.all(answers)).toEqual(answers.map(() => later))
      clock.pass(restMs - 1)
      expect(link.state).toBe('resting')
      clock.pass(1)
      expect(link.state).toBe('bound')
    }
    expect(await link.submit(shortMessage(), unexpected)).toMatchObject({ kind: 'accepted' })
    expect(link.rests).toBe(3)
    expect(states).toContain('resting the carrier answered RTHROTTLED (0x00000058)')
    await passUntil(clock, link.close(0))
  })

  it('has no capacity while it rests', async () => {
    const clock = handClock()
    const { link } = await boundTo({ tps: 1, clock }, { restMs: 5_000, clock })
    await Promise.all([link.submit(shortMessage(), unexpected), link.submit(shortMessage(), unexpected)])
    expect(link.state).toBe('resting')
    expect(link.capacity()).toBe(0)
    expect(link.retryMs()).toBe(5_000)
  })

  it('of SMPP 5.0 says so in congestion_state: half the window when nearly, a rest when it is', async () => {
    let congestion = 95
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind !== 'submit_sm') return
      socket.write(encodeMessageResponse(COMMAND.submitSm, pdu.sequence, 0, { messageId: '1', congestion }))
    })
    const { link } = linkTo(carrier.port, { window: 10, restMs: 5_000, clock: handClock() })
    await bound(link)
    expect(link.capacity()).toBe(10)
    await link.submit(shortMessage(), unexpected)
    expect(link.capacity()).toBe(6)
    congestion = 100
    expect(await link.submit(shortMessage(), unexpected)).toMatchObject({ kind: 'accepted' })
    expect(link.state).toBe('resting')
  })
})

describe('a carrier that answers nothing', () => {
  const silence = { responseMs: 60, restMs: 40, enquireMs: 5_000 }

  it('loses what was on its way; after a rest one submission at a time finds out whether it answers', async () => {
    let isDeaf = true
    let taken = 0
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind !== 'submit_sm') return
      taken++
      if (!isDeaf) socket.write(accept(pdu))
    })
    const clock = handClock()
    const { link, states } = linkTo(carrier.port, { window: 4, ...silence, clock })
    await bound(link)
    const submitAll = () =>
      Promise.all(Array.from({ length: 12 }, () => link.submit(shortMessage(), unexpected)))
    let submitted = submitAll()
    await eventually('a full window', () => taken === 4)
    clock.pass(silence.responseMs)
    expect(count(await submitted)).toEqual({ uncertain: 4, later: 8 })
    expect(states).toContain('resting the carrier does not answer')
    clock.pass(silence.restMs)
    submitted = submitAll()
    await eventually('one more', () => taken === 5)
    clock.pass(silence.responseMs)
    expect(count(await submitted)).toEqual({ uncertain: 1, later: 11 })
    expect([taken, link.rests]).toEqual([5, 2])
    isDeaf = false
    clock.pass(2 * silence.restMs)
    expect(count(await submitAll())).toEqual({ accepted: 12 })
    expect(link.state).toBe('bound')
    expect(link.capacity()).toBeGreaterThanOrEqual(4)
    await passUntil(clock, link.close(0))
  })

  it('is not one that leaves single submissions unanswered', async () => {
    let taken = 0
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind === 'submit_sm' && ++taken !== 1) socket.write(accept(pdu))
    })
    const clock = handClock()
    const { link } = linkTo(carrier.port, { window: 2, ...silence, clock })
    await bound(link)
    const answers = Array.from({ length: 4 }, () => link.submit(shortMessage(), unexpected))
    let answered = 0
    for (const answer of answers) void answer.then(() => answered++)
    await eventually('the others are answered', () => answered === 3)
    clock.pass(silence.responseMs)
    expect(count(await Promise.all(answers))).toEqual({ uncertain: 1, accepted: 3 })
    expect(link.rests).toBe(0)
    await passUntil(clock, link.close(0))
  })

  it('is left alone no longer once an answer comes, however late', async () => {
    const clock = handClock()
    const times = { ...silence, restMs: 20, clock }
    const { carrier, link } = await boundTo({ answerMs: 150, clock }, { window: 4, ...times })
    const answer = link.submit(shortMessage(), () => {})
    await eventually('it was taken', () => carrier.taken.length === 1)
    clock.pass(silence.responseMs)
    expect(await answer).toEqual({ kind: 'uncertain' })
    expect(link.rests).toBe(1)
    clock.pass(90)
    await eventually('the whole window', () => link.capacity() >= 4)
  })

  it('gets one submission at a time after it was connected anew, too', async () => {
    let taken = 0
    const carrier = await rawCarrier((pdu) => {
      if (pdu.kind === 'submit_sm') taken++
    })
    const clock = handClock()
    const { link } = linkTo(carrier.port, { window: 2, ...silence, clock })
    await bound(link)
    const submit = () => void link.submit(shortMessage(), unexpected)
    for (let times = 0; times < 2; times++) submit()
    await eventually('a full window', () => taken === 2)
    clock.pass(silence.responseMs)
    clock.pass(silence.restMs)
    expect(link.capacity()).toBe(1)
    carrier.sockets[0]?.destroy()
    await eventually('the end of the connection', () => link.state === 'connecting')
    clock.pass(20)
    await bound(link)
    expect(carrier.sockets).toHaveLength(2)
    expect(link.capacity()).toBe(1)
    await passUntil(clock, link.close(0))
  })
})

describe('a receipt', () => {
  it('is acknowledged only once it is kept', async () => {
    let keep = () => {}
    const kept = new Promise<void>((resolve) => {
      keep = resolve
    })
    const statuses: number[] = []
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind === 'bind') socket.write(deliver(1))
      if (pdu.kind === 'deliver_sm_resp') statuses.push(pdu.status)
      if (pdu.kind === 'enquire_link_resp') answered++
    })
    let answered = 0
    let heard = 0
    const { link } = linkTo(
      carrier.port,
      {},
      {
        onMessage() {
          heard++
          return kept
        },
      },
    )
    await eventually('the receipt', () => heard === 1)
    carrier.sockets[0]?.write(encodeBare(COMMAND.enquireLink, 2))
    await eventually('it answers what came later', () => answered === 1)
    expect(statuses).toEqual([])
    keep()
    await eventually('the acknowledgement', () => statuses.length === 1)
    expect(statuses).toEqual([0])
    expect(link.state).toBe('bound')
  })

  it('that could not be kept is asked for again', async () => {
    let tries = 0
    const { link } = await boundTo(
      { againMs: 0 },
      {},
      {
        async onMessage() {
          if (++tries < 3) throw new Error('the database is away')
        },
      },
    )
    await link.submit(shortMessage(), unexpected)
    await eventually('the third try', () => tries === 3)
  })

  it('may come before the answer', async () => {
    const { link, heard } = await boundTo({ receiptFirst: true })
    let heardBefore = -1
    await link.submit(shortMessage(), unexpected).then(() => {
      heardBefore = heard.length
    })
    expect(heardBefore).toBe(1)
  })

  it('beyond a thousand that are not kept yet is asked for again', async () => {
    const statuses: number[] = []
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind === 'bind') for (let i = 1; i <= 1_010; i++) socket.write(deliver(i))
      if (pdu.kind === 'deliver_sm_resp') statuses.push(pdu.status)
    })
    let keep = () => {}
    const kept = new Promise<void>((resolve) => {
      keep = resolve
    })
    linkTo(carrier.port, {}, { onMessage: () => kept })
    await eventually('the refusals', () => statuses.length === 10)
    expect(new Set(statuses)).toEqual(new Set([0x64]))
    keep()
    await eventually('the acknowledgements', () => statuses.length === 1_010)
  })
})

describe('a connection', () => {
  it('asks for a sign of life when it is quiet, and answers when it is asked', async () => {
    let asked = 0
    let answered = 0
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind === 'bind') socket.write(encodeBare(COMMAND.enquireLink, 7))
      if (pdu.kind === 'enquire_link_resp' && pdu.sequence === 7) answered++
      if (pdu.kind !== 'enquire_link') return
      asked++
      socket.write(encodeBare(COMMAND.enquireLink + RESPONSE, pdu.sequence))
    })
    const clock = handClock()
    const { link, states } = linkTo(carrier.port, { enquireMs: 20, clock })
    await bound(link)
    for (const times of [1, 2, 3]) {
      clock.pass(20)
      await eventually(`sign of life ${times}`, () => asked === times)
      await turns()
    }
    expect(answered).toBe(1)
    expect(link.state).toBe('bound')
    expect(states).toEqual(['bound'])
  })

  it('without a sign of life is given up and made again', async () => {
    let binds = 0
    const carrier = await rawCarrier((pdu) => {
      if (pdu.kind === 'bind') binds++
    })
    const clock = handClock()
    const { link, states } = linkTo(carrier.port, { enquireMs: 20, responseMs: 200, clock })
    await bound(link)
    clock.pass(20)
    clock.pass(200)
    await eventually('it is given up', () => link.state === 'connecting')
    expect(states).toContain('connecting no sign of life from the carrier')
    clock.pass(20)
    await eventually('a second bind', () => binds === 2)
    await passUntil(clock, link.close(0))
  })

  it('comes back by itself after the carrier was away, with longer and longer pauses', async () => {
    const port = await freePort()
    const carrier = await fakeCarrier({ port })
    const clock = handClock()
    const { link, states } = linkTo(port, { reconnectMs: 10, clock })
    await bound(link)
    await carrier.close()
    for (const times of [1, 2, 3]) {
      await eventually(
        `failure ${times}`,
        () => states.filter((each) => each.startsWith('connecting')).length === times,
      )
      if (times < 3) clock.pass(10 * 2 ** times)
    }
    expect(states[1]).toBe('connecting the carrier unbound')
    const again = await fakeCarrier({ port })
    clock.pass(80)
    await bound(link)
    expect(await link.submit(shortMessage(), unexpected)).toMatchObject({ kind: 'accepted' })
    expect(again.taken).toHaveLength(1)
  })

  it('that is not bound in time is given up', async () => {
    const server: Server = createServer(() => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const clock = handClock()
    const port = typeof address === 'object' && address ? address.port : 0
    const { states } = linkTo(port, { responseMs: 30, clock })
    clock.pass(30)
    await eventually('the failure', () => states.length > 0)
    expect(states[0]).toBe('connecting no answer to the bind within 30 ms')
  })

  it('with a wrong password says that it was refused, without the password, and goes on trying', async () => {
    const carrier = await fakeCarrier({ password: 'right' })
    const clock = handClock()
    const { link, states } = linkTo(carrier.port, { clock })
    await eventually('a failure', () => states.length === 1)
    clock.pass(20)
    await eventually('a second failure', () => states.length === 2)
    expect(states[0]).toBe('connecting the carrier refused the bind: RINVPASWD (0x0000000e)')
    expect(JSON.stringify([states, await link.submit(shortMessage(), unexpected)])).not.toContain('secret')
  })

  it('answers an unbind of the carrier, and comes back', async () => {
    let binds = 0
    let answered = 0
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind === 'bind' && ++binds === 1) socket.write(encodeBare(COMMAND.unbind, 9))
      if (pdu.kind === 'unbind_resp' && pdu.sequence === 9) answered++
    })
    linkTo(carrier.port, { reconnectMs: 0 })
    await eventually('the second bind', () => binds === 2)
    // It comes by another connection than the bind, so perhaps after it.
    await eventually('the answer', () => answered === 1)
  })

  it('to a carrier that sends and never reads is given up before it fills the memory', async () => {
    let binds = 0
    const carrier = await rawCarrier((pdu, socket) => {
      if (pdu.kind !== 'bind' || ++binds > 1) return
      socket.pause()
      const many = Buffer.concat(
        Array.from({ length: 4_000 }, (_, i) => Buffer.from(encodeBare(COMMAND.enquireLink, i))),
      )
      const send = (error?: Error | null) => error || socket.write(many, send)
      send()
    })
    const { states } = linkTo(carrier.port)
    await eventually('the end', () => states.some((each) => each.startsWith('connecting')))
    expect(states[1]).toBe('connecting the other side does not read')
    await eventually('the second bind', () => binds === 2)
  })
})

describe('closing', () => {
  it('waits for answers, unbinds, and waits for the answer to that', async () => {
    const seen: string[] = []
    const answered: string[] = []
    const clock = handClock()
    const carrier = await rawCarrier((pdu, socket) => {
      seen.push(pdu.kind)
      const answer = Buffer.from(
        pdu.kind === 'unbind' ? encodeBare(COMMAND.unbind + RESPONSE, pdu.sequence) : accept(pdu),
      )
      if (pdu.kind === 'bind') return
      clock.after(40, () => {
        socket.write(answer)
        answered.push(pdu.kind)
      })
    })
    const { link } = linkTo(carrier.port, { window: 2, clock })
    await bound(link)
    const answers = Array.from({ length: 5 }, () => link.submit(shortMessage(), unexpected))
    await eventually('a full window', () => seen.length === 3)
    const closing = link.close(1_000)
    clock.pass(40)
    await eventually('it unbinds', () => seen.length === 4)
    clock.pass(40)
    await closing
    expect(answered).toEqual(['submit_sm', 'submit_sm', 'unbind'])
    expect(count(await Promise.all(answers))).toEqual({ accepted: 2, later: 3 })
    expect(seen).toEqual(['bind', 'submit_sm', 'submit_sm', 'unbind'])
    expect(await link.submit(shortMessage(), unexpected)).toEqual({
      kind: 'later',
      reason: 'the connection is closing',
      afterMs: 20,
    })
  })

  it('calls uncertain what is not answered in time, and does not wait for ever', async () => {
    const seen: string[] = []
    const carrier = await rawCarrier(({ kind }) => seen.push(kind))
    const clock = handClock()
    const { link } = linkTo(carrier.port, { clock })
    await bound(link)
    const answer = link.submit(shortMessage(), unexpected)
    await eventually('it has left', () => seen.includes('submit_sm'))
    const closing = link.close(50)
    clock.pass(49)
    await turns()
    expect(seen).not.toContain('unbind')
    clock.pass(1)
    await eventually('it unbinds', () => seen.includes('unbind'))
    // Nor does the carrier answer that.
    clock.pass(1_000)
    await closing
    expect(await answer).toEqual({ kind: 'uncertain' })
  })

  it('before it is bound ends at once', async () => {
    const { link } = linkTo(1)
    await link.close(1_000)
    expect(link.state).toBe('closed')
  })
})

describe('over TLS', () => {
  const certificate = createSelfSigned()

  async function secureCarrier(): Promise<number> {
    const server = createTlsServer(certificate, (socket) => {
      const connection = new Connection(socket, {
        onPdu(pdu) {
          if (pdu.kind === 'submit_sm') connection.write(accept(pdu, 'tls'))
          if (pdu.kind !== 'bind') return
          const { kind } = pdu.bind
          connection.write(encodeBindResponse(kind, pdu.sequence, 0, { systemId: 'tls', version: 0x34 }))
        },
        onEnd: () => {},
      })
    })
    server.on('tlsClientError', () => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    return typeof address === 'object' && address ? address.port : 0
  }

  const endpoint = (port: number) => ({ host: 'localhost', port, tls: true })

  it('a carrier with a certificate that is trusted is bound to', async () => {
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, certificate.cert])
    onTestFinished(() => setDefaultCACertificates(before))
    const port = await secureCarrier()
    const { link } = linkTo(port, { endpoint: endpoint(port) })
    await bound(link)
    expect(await link.submit(shortMessage(), unexpected)).toEqual({ kind: 'accepted', id: 'tls' })
    await link.close(100)
  })

  it('a carrier that no one vouches for is not', async () => {
    const port = await secureCarrier()
    const { states } = linkTo(port, { endpoint: endpoint(port) })
    await eventually('the failure', () => states.length > 0)
    expect(states[0]).toMatch(/^connecting self-signed certificate/)
  })
})
