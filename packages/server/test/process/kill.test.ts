import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endLeases, endValidity } from '../support/books.ts'
import { open } from '../support/engine.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { eventually } from '../support/front.ts'
import { runLoad } from '../support/load.ts'
import { checkOutcome, comesToRest, figuresOf, isHandedOver } from './outcome.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'

const CYCLES = Number(process.env.WIGWAG_KILL_CYCLES ?? 4)

let folder: string
let receiver: Receiver
let server: Server

beforeEach(async () => {
  folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-kill-'))
  receiver = await openReceiver(() => server.demo?.callbackSecret ?? '', 0.03)
})
afterEach(async () => {
  await server.kill()
  await receiver.close()
  await rm(folder, { recursive: true, force: true })
})

describe('a gateway that is killed', () => {
  const time = CYCLES * 4_000 + 120_000

  it.each([
    ['can', 'yes'],
    ['cannot', 'no'],
  ])(
    `keeps every promise through ${CYCLES} kills at any instant, if its carrier %s be asked`,
    { timeout: time },
    async (_, asked) => {
      const file = `file:${join(folder, 'wigwag.db')}`
      const env = {
        WIGWAG_DATABASE_URL: file,
        WIGWAG_DEMO_BALANCE: '100000',
        WIGWAG_SIMULATOR_DELAY_MS: '30',
        WIGWAG_SIMULATOR_CAN_BE_ASKED: asked,
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
      // A carrier that is asked says how it ended what was handed over. Of the other, the receipts died with it.
      if (asked === 'no') {
        await eventually('all is handed over', () => inStore(file, isHandedOver), 40_000)
        await pause(500)
        await inStore(file, endValidity)
      }
      await eventually('nothing is left to do', () => inStore(file, comesToRest), 40_000)
      const { code } = await server.stop()
      expect(code).toBe(0)
      await inStore(file, (database) => checkOutcome(database, result, receiver))
      console.log(`${CYCLES + 1} kills: ${figuresOf(result, receiver)}`)
    },
  )
})

async function inStore<T>(file: string, work: (database: ReturnType<typeof open>) => Promise<T>): Promise<T> {
  const database = open(file)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
