import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { FINAL_STATUSES } from '../../src/kernel/message.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { comesToRest, isAnsweredFinal, isHandedOver, lookAtOnce, wrongOutcomes } from '../process/outcome.ts'
import { openReceiver, type Receiver } from '../process/receiver.ts'
import { type Server, startServer } from '../process/server.ts'
import { checkBooks, endLeases, endValidity } from '../support/books.ts'
import { open } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import type { Figures } from '../support/figures.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { call, SINGLE, single } from '../support/front.ts'
import { type LoadOptions, runLoad, ticketsOf } from '../support/load.ts'
import { type WatchedAnswers, watchAnswers } from './answers.ts'
import { type Supervised, supervise } from './supervised.ts'

/** A supervised gateway with a receiver of callbacks and clients that send all the time. */
export interface Scene {
  folder: string
  supervised: Supervised
  answers: WatchedAnswers
  receiver: Receiver
  /** How long it takes from now until a message that is new is taken and final. Gives up loudly. */
  msUntilFinal(withinMs?: number): Promise<number>
  /**
   * Stops the clients, starts the gateway once more, waits until nothing is left to do, and counts what is wrong then.
   */
  conclude(): Promise<{ acknowledged: number; outcome: Figures }>
  close(): Promise<void>
}

export interface SceneOptions {
  folder?: string
  /** An SQLite file in the folder, when left out. */
  database?: string
  env?: Record<string, string>
  ulimit?: string
  load?: Partial<LoadOptions>
  /** How far its clock is ahead of the machine's. */
  ahead?(): number
}

export const makeFolder = () => mkdtemp(join(FOR_DATABASES, 'wigwag-torture-'))

export async function openScene(options: SceneOptions): Promise<Scene> {
  const { folder = await makeFolder(), ulimit, ahead } = options
  const { database = `file:${join(folder, 'wigwag.db')}` } = options
  let secret = ''
  const gatewaysNow = ahead && (() => systemClock.now() + ahead())
  const receiver = await openReceiver(() => secret, 0, gatewaysNow)
  const env = {
    WIGWAG_DATABASE_URL: database,
    WIGWAG_DEMO_BALANCE: '1000000',
    WIGWAG_SIMULATOR_DELAY_MS: '30',
    WIGWAG_CALLBACK_TIMEOUT_MS: '2000',
  }
  const start = (more: Record<string, string> = {}) =>
    startServer({ folder, env: { ...env, ...more }, ...(ulimit !== undefined && { ulimit }) })
  const supervised = await supervise(() => start(options.env))
  secret = supervised.demo.callbackSecret
  const answers = watchAnswers()
  const load = runLoad({
    urls: supervised.urls,
    accounts: [supervised.demo],
    clients: 6,
    prefix: 'torture',
    callbackUrl: receiver.url,
    restMs: 5,
    ...options.load,
    onAnswer: answers.onAnswer,
  })
  let last: Server | undefined
  /** The messages of `msUntilFinal`, which the load does not send. */
  const probes: string[] = []

  async function msUntilFinal(withinMs = 60_000): Promise<number> {
    const { urls, demo } = supervised
    const began = performance.now()
    const body = { ...single(), Reference: demo.clientId, CallbackUrl: receiver.url }
    const send = { path: SINGLE, body, key: `probe-${randomUUID()}` }
    let ticket: string | undefined
    while (performance.now() - began < withinMs) {
      const ask = ticket === undefined ? send : { path: `/v1/transactions/${ticket}/status` }
      const answer = await call(urls()[0] ?? '', demo, ask).catch(() => undefined)
      if (answer?.status === 200 && ticket === undefined) {
        ticket = ticketsOf(answer.text)[0]
        if (ticket !== undefined) probes.push(ticket)
      } else if (answer?.status === 200 && isFinal(answer.text)) return performance.now() - began
      await pause(20)
    }
    throw new Error(`no new message was final within ${withinMs} ms`)
  }

  return {
    folder,
    supervised,
    answers,
    receiver,
    msUntilFinal,
    async conclude() {
      const result = await load.stop()
      await supervised.stop()
      const store = open(database)
      try {
        await endLeases(store)
        last = await start()
        await eventually('all is handed over', () => isHandedOver(store))
        await lookAtOnce(store)
        await eventually('what the carrier answered is final', () => isAnsweredFinal(store))
        await endValidity(store)
        await eventually('nothing is left to do', () => comesToRest(store))
        await last.stop()
        const acknowledged = [...result.acknowledged, ...probes]
        await checkBooks(store)
        return {
          acknowledged: acknowledged.length,
          outcome: await wrongOutcomes({ database: store, acknowledged, receiver }),
        }
      } finally {
        await store.close()
      }
    },
    async close() {
      await supervised.kill()
      await last?.kill()
      await receiver.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function isFinal(text: string): boolean {
  const { Status }: { Status: string } = JSON.parse(text)
  return FINAL_STATUSES.some((status) => status === Status)
}
