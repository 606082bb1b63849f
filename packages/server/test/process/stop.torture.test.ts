import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { checkBooks } from '../support/books.ts'
import { open } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { BULK, call, SINGLE, single } from '../support/front.ts'
import { runLoad } from '../support/load.ts'
import { freshPostgres } from '../support/postgres.ts'
import { openWire } from '../support/wire.ts'
import { checkOutcome, comesToRest } from './outcome.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'

let folder: string
let receiver: Receiver
let server: Server

beforeEach(async () => {
  folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-stop-'))
  receiver = await openReceiver(() => server.demo?.callbackSecret ?? '', 0)
})
afterEach(async () => {
  await server.kill()
  await receiver.close()
  await rm(folder, { recursive: true, force: true })
})

const start = async (settings: Record<string, string> = {}) => {
  const env = {
    WIGWAG_DATABASE_URL: `file:${join(folder, 'wigwag.db')}`,
    WIGWAG_SIMULATOR_DELAY_MS: '30',
    WIGWAG_DEMO_BALANCE: '100000',
    ...settings,
  }
  server = await startServer({ folder, env })
}

async function inStore<T>(work: (database: ReturnType<typeof open>) => Promise<T>): Promise<T> {
  const database = open(`file:${join(folder, 'wigwag.db')}`)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

describe('a gateway that is asked to stop', () => {
  it('ends well within ten seconds under load, while receivers do not answer, and loses nothing', async () => {
    await start()
    const { demo } = server
    if (!demo) throw new Error('the banner names no demo account')
    receiver.silence(true)
    const load = runLoad({
      urls: () => [server.url],
      accounts: [demo],
      clients: 8,
      prefix: 'stop',
      callbackUrl: receiver.url,
    })
    await eventually('callbacks wait for an answer', async () => receiver.waiting >= 20)
    await pause(500)
    const stopped = await server.stop()
    expect(stopped).toMatchObject({ code: 0, signal: null })
    expect(stopped.ms).toBeLessThan(10_000)
    expect(server.said()).not.toMatch(/"level":50|fault/)

    receiver.silence(false)
    await start()
    await pause(200)
    const { acknowledged } = await load.stop()
    // Callbacks that were cut off count as one failed attempt, and come again after five seconds.
    await eventually('nothing is left to do', () => inStore(comesToRest))
    await inStore((database) =>
      checkOutcome({
        name: 'a gateway that is asked to stop with callbacks under way',
        database,
        acknowledged,
        receiver,
        atLeast: 20,
      }),
    )
  })

  it.each([
    ['waiting for receipts', { WIGWAG_SIMULATOR_DELAY_MS: '5000' }],
    ['that a carrier has not answered', { WIGWAG_SIMULATOR_ANSWER_MS: '20000' }],
  ])(
    'ends well within fifteen seconds when PostgreSQL went away with messages %s',
    async (_what, settings) => {
      const place = await freshPostgres()
      onTestFinished(place.drop)
      const wire = await openWire(place.url)
      onTestFinished(wire.close)
      await start({ WIGWAG_DATABASE_URL: wire.url, ...settings })
      const { demo } = server
      if (!demo) throw new Error('the banner names no demo account')
      const sends = Array.from({ length: 100 }, () =>
        call(server.url, demo, { path: SINGLE, body: single() }),
      )
      expect((await Promise.all(sends)).map(({ status }) => status)).toEqual(sends.map(() => 200))
      await wire.cut()
      await pause(1_500)
      const { ms } = await server.stop()
      expect(ms).toBeLessThan(15_000)
    },
  )

  it('ends well within ten seconds while bulks are under way, and finishes them at its next start', async () => {
    await start()
    const { demo } = server
    if (!demo) throw new Error('the banner names no demo account')
    const Recipients = Array.from({ length: 10_000 }, (_, index) => ({ To: `2332412${10_000 + index}` }))
    const body = { From: 'WIGWAG', Content: 'Hello', Recipients }
    const bulks = await Promise.all([1, 2].map(() => call(server.url, demo, { path: BULK, body })))
    const stopped = await server.stop()
    expect(bulks.map(({ status }) => status)).toEqual([200, 200])
    expect(stopped).toMatchObject({ code: 0, signal: null })
    expect(stopped.ms).toBeLessThan(10_000)
    expect(server.said()).not.toMatch(/"level":50|fault/)
    await start()
    await eventually('nothing is left to do', () => inStore(comesToRest))
    await inStore(checkBooks)
  })

  it('ends at once when there is nothing to do', async () => {
    await start()
    const stopped = await server.stop()
    expect(stopped).toMatchObject({ code: 0, signal: null })
    expect(stopped.ms).toBeLessThan(2_000)
  })

  it('still answers for the delay that is set, and says meanwhile that it is not ready', async () => {
    await start({ WIGWAG_STOP_DELAY_MS: '2000' })
    const { url, demo } = server
    if (!demo) throw new Error('the banner names no demo account')
    const stopping = server.stop()
    await eventually('it is not ready', async () => (await fetch(`${url}/readyz`)).status === 503)
    const { status } = await call(url, demo, { path: SINGLE, body: single() })
    expect(status).toBe(200)
    const stopped = await stopping
    expect(stopped).toMatchObject({ code: 0, signal: null })
    expect(stopped.ms).toBeGreaterThan(2_000)
  })

  it('ends well within ten seconds while a client is half way through a request', async () => {
    await start()
    const { port } = new URL(server.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('POST /v1/messages/sms HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n')
    await pause(200)
    const stopped = await server.stop()
    socket.destroy()
    expect(stopped).toMatchObject({ code: 0, signal: null })
    expect(stopped.ms).toBeLessThan(10_000)
  })
})
