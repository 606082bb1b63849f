import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endLeases } from '../gateway/books.ts'
import { eventually } from '../gateway/front.ts'
import { runLoad } from '../gateway/load.ts'
import { open } from '../store/engine.ts'
import { checkOutcome, figuresOf, isQuiet } from './outcome.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'

const CYCLES = Number(process.env.WIGWAG_KILL_CYCLES ?? 8)

let folder: string
let receiver: Receiver
let server: Server

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wigwag-kill-'))
  receiver = await openReceiver(() => server.demo?.callbackSecret ?? '', 0.03)
})
afterAll(async () => {
  await server.kill()
  await receiver.close()
  await rm(folder, { recursive: true, force: true })
})

describe('a gateway that is killed', () => {
  const time = CYCLES * 4_000 + 120_000

  it(`keeps every promise through ${CYCLES} kills at any instant`, { timeout: time }, async () => {
    const file = `file:${join(folder, 'wigwag.db')}`
    const env = {
      WIGWAG_DATABASE_URL: file,
      WIGWAG_DEMO_BALANCE: '100000',
      WIGWAG_SIMULATOR_DELAY_MS: '30',
      WIGWAG_CALLBACK_TIMEOUT_MS: '2000',
    }
    const start = async () => {
      server = await startServer({ folder, env })
    }
    await start()
    const { demo } = server
    if (!demo) throw new Error('the banner names no demo account')
    const load = runLoad({
      urls: () => [server.url],
      accounts: [demo],
      clients: 8,
      prefix: 'kill',
      callbackUrl: receiver.url,
    })
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      await pause(randomInt(20, 700))
      await server.kill()
      await start()
    }
    await pause(300)
    const result = await load.stop()
    await server.kill()
    await inStore(file, endLeases)
    await start()
    await eventually('nothing is left to do', () => inStore(file, isQuiet), 40_000)
    const { code } = await server.stop()
    expect(code).toBe(0)
    await inStore(file, (database) => checkOutcome(database, result, receiver))
    console.log(`${CYCLES + 1} kills: ${figuresOf(result, receiver)}`)
  })
})

async function inStore<T>(file: string, work: (database: ReturnType<typeof open>) => Promise<T>): Promise<T> {
  const database = open(file)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
