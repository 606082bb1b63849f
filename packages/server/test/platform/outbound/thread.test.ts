import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { NetworkThread } from '../../../src/net/outbound/thread.ts'
import { eventually } from '../../support/eventually.ts'
import { handClock, passUntil } from '../../support/hand-clock.ts'
import { post, startRawReceiver, startReceiver } from './receiver.ts'

const ENTRY = new URL('../../../src/net/outbound/network.thread.ts', import.meta.url)
const ALLOWED = { allowLoopback: true, allowedCidrs: [] }

/** A network in a thread, closed with the test, whose thread can be ended. */
function networkThread(clock = handClock()) {
  const workers: Worker[] = []
  const faults: unknown[] = []
  const network = new NetworkThread(
    { clock, log: { warn: () => undefined }, onFault: (error) => faults.push(error) },
    ALLOWED,
    () => {
      const worker = new Worker(ENTRY, { workerData: ALLOWED })
      workers.push(worker)
      return worker
    },
  )
  onTestFinished(() => passUntil(clock, network.close()))
  return { network, clock, workers, faults, end: () => workers.at(-1)?.terminate() }
}

/** A receiver that reads, and answers when it is told. */
async function slowReceiver() {
  const answers: (() => void)[] = []
  const receiver = await startReceiver((request, reply) => {
    request.resume().on('end', () => answers.push(() => void reply.end('thanks')))
  })
  return { receiver, answers }
}

describe('a network in a thread', () => {
  it('sends text and bytes as the first thread would, and brings the reply back', async () => {
    const receiver = await startReceiver((request, reply) => {
      request.resume().on('end', () => reply.writeHead(201, { 'X-Answer': 'yes' }).end('thanks'))
    })
    const { network } = networkThread()
    for (const body of ['{"Für":"dich"}', Buffer.from('{"Für":"dich"}')]) {
      const result = await network.callbacks(post(receiver.url, { body }))
      expect(result).toMatchObject({ kind: 'reply', status: 201, headers: { 'x-answer': 'yes' } })
      const reply = result.kind === 'reply' ? result.body : new Uint8Array()
      expect(new TextDecoder().decode(reply)).toBe('thanks')
      // Not with the buffer that it was a part of.
      expect(reply.buffer.byteLength).toBe(6)
    }
    expect(
      Buffer.from(receiver.received(), 'latin1')
        .toString()
        .match(/\{"Für":"dich"\}/g),
    ).toHaveLength(2)
  })

  it('refuses what the first thread refuses, with the same words', async () => {
    const { network } = networkThread()
    expect(network.refusal('http://10.0.0.1/')).toBe('the host is a private address')
    expect(network.refusal('http://127.0.0.1/')).toBeUndefined()
    expect(await network.documents(post('http://10.0.0.1/'))).toMatchObject({
      kind: 'failure',
      stage: 'before',
      failure: 'blocked_address',
      detail: 'the host is a private address',
    })
  })

  it('does not say that a request was never sent which its thread had when it ended', async () => {
    const { receiver, answers } = await slowReceiver()
    const { network, end, faults } = networkThread()
    const sending = network.carriers(post(receiver.url, { once: true }))
    await eventually('the request', () => answers.length === 1)
    await end()
    expect(await sending).toMatchObject({ kind: 'failure', stage: 'during', failure: 'connection_lost' })
    expect(faults).toHaveLength(1)
  })

  it('sends what comes while there is no thread, once there is one, and once only', async () => {
    const { receiver, answers } = await slowReceiver()
    const { network, end, clock, workers } = networkThread()
    const first = network.callbacks(post(receiver.url))
    await eventually('the first request', () => answers.length === 1)
    await end()
    await first
    const sending = network.callbacks(post(receiver.url, { timeoutMs: 600_000 }))
    clock.pass(1_000)
    await eventually('the second request', () => answers.length === 2)
    answers[1]?.()
    expect(await sending).toMatchObject({ kind: 'reply', status: 200 })
    expect([answers.length, workers.length]).toEqual([2, 2])
  })

  it('gives a request up that finds no thread in its time: it was certainly not sent', async () => {
    const clock = handClock()
    const network = new NetworkThread({ clock, log: { warn() {} }, onFault() {} }, ALLOWED, () => {
      throw new Error('no memory')
    })
    onTestFinished(() => passUntil(clock, network.close()))
    const sending = network.callbacks(post('http://127.0.0.1:9/', { timeoutMs: 5_000 }))
    for (let second = 0; second < 5; second++) clock.pass(1_000)
    expect(await sending).toMatchObject({ kind: 'failure', stage: 'before', latencyMs: 5_000 })
  })

  it('that closes ends what runs, says of each how far it came, and sends nothing more', async () => {
    const { receiver, answers } = await slowReceiver()
    const silent = await startRawReceiver(() => undefined)
    const { network, clock } = networkThread()
    const running = network.callbacks(post(receiver.url))
    const unread = network.callbacks(post(silent.url))
    await eventually('the requests', () => answers.length === 1 && silent.received() !== '')
    const closed = network.close()
    const late = network.callbacks(post(receiver.url))
    await passUntil(clock, closed)
    for (const sending of [running, unread])
      expect(await sending).toMatchObject({ kind: 'failure', stage: 'during', failure: 'connection_lost' })
    const refused = { kind: 'failure', stage: 'before', detail: 'the gateway is closing' }
    expect(await late).toMatchObject(refused)
    expect(await network.callbacks(post(receiver.url))).toMatchObject(refused)
    expect(answers).toHaveLength(1)
  })

  it('that never started closes at once', async () => {
    const network = new NetworkThread({ clock: systemClock, log: { warn() {} }, onFault() {} }, ALLOWED)
    await network.close()
    expect(network.thread.isUp).toBe(false)
  })
})
