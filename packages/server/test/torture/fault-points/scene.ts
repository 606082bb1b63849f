import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fakeCarrier } from '../../../../smpp/test/peers.ts'
import { loadConfig } from '../../../src/config/config.ts'
import type { Carrier } from '../../../src/delivery/carrier.ts'
import type { TakenPart } from '../../process/carrier.ts'
import { compareAtEnd, compareHalfway } from '../../process/compare.ts'
import { comesToRest, isHandedOver, lookAtOnce, wrongOutcomes } from '../../process/outcome.ts'
import { openReceiver } from '../../process/receiver.ts'
import { startServer } from '../../process/server.ts'
import { checkBooks, checkStandings, endLeases, endValidity } from '../../support/books.ts'
import { type EngineName, makePlace, open } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import type { Figures } from '../../support/figures.ts'
import { FOR_DATABASES } from '../../support/for-databases.ts'
import { openFront } from '../../support/front.ts'
import { sendEverySort } from './client.ts'
import { takenBefore, withMemory } from './memory.ts'
import type { CarrierKind } from './steps.ts'

const PROGRAM = fileURLToPath(new URL('./gateway.process.ts', import.meta.url))
const JSX = fileURLToPath(new URL('../../../../../scripts/jsx.ts', import.meta.url))
/** How long a gateway may take to come to its step. */
const REACHED_MS = 120_000
const PATIENCE_MS = 300_000

/** The end of a gateway, as its process is told. */
export interface Ending {
  step: string
  /** It ends when it passes the step for this time. */
  passage: number
  /** The file in which a simulated carrier remembers what it took. */
  memory: string | undefined
}

export interface Stop {
  engine: EngineName
  kind: CarrierKind
  step: string
  passage: number
}

/** Ends a gateway at a step while a client sends, starts another in its place, and says what is wrong then. */
export async function endAt(stop: Stop): Promise<Figures> {
  const undo: (() => Promise<unknown>)[] = []
  try {
    return await play(stop, (each) => undo.unshift(each))
  } finally {
    for (const each of undo) await each()
  }
}

async function play(
  { engine, kind, step, passage }: Stop,
  afterwards: (undo: () => Promise<unknown>) => void,
): Promise<Figures> {
  const folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-step-'))
  afterwards(() => rm(folder, { recursive: true, force: true }))
  const place = await makePlace(engine)
  afterwards(place.remove)
  const { env, memory, taken, aroundCarrier } = await carrierOf(kind, folder)
  const ending: Ending = { step, passage, memory }
  const server = await startServer({
    folder,
    env: { ...env, WIGWAG_DATABASE_URL: place.url, WIGWAG_POSTGRES_CONNECTIONS: '4' },
    program: ['--import', JSX, PROGRAM, JSON.stringify(ending)],
  })
  afterwards(server.kill)
  const { demo } = server
  if (!demo) throw new Error('the banner names no demo account')
  // The process that ends a message posts its callback itself, so only a refused callback is ever claimed.
  const refuse = step === 'callback claimed' ? 0.5 : 0
  const receiver = await openReceiver(() => demo.callbackSecret, refuse)
  afterwards(receiver.close)
  let { url } = server
  let isOver = false
  const sending = sendEverySort({
    url: () => url,
    account: demo,
    callbackUrl: receiver.url,
    isOver: () => isOver,
  })
  const ended = server.ended.then(({ signal }) => signal === 'SIGKILL')
  const isReached = await Promise.race([ended, sending.then(() => ended), pause(REACHED_MS, false)])
  isOver = true
  await server.kill()

  const store = open(place.url)
  await endLeases(store)
  await store.close()
  const { simulator, carrier } = loadConfig({}, env, folder)
  const front = await openFront(place.url, { simulator, carrier }, { aroundCarrier })
  afterwards(front.close)
  url = front.url
  const { database } = front.gateway
  const acknowledged = await sending
  await eventually('all is handed over', () => isHandedOver(database), PATIENCE_MS)
  await lookAtOnce(database, PATIENCE_MS)
  await checkStandings(database)
  const halfway = await compareHalfway(database, taken, { carrierForgets: false })
  await endValidity(database)
  await eventually('nothing is left to do', () => comesToRest(database), PATIENCE_MS)
  await checkBooks(database)
  return {
    acknowledged: acknowledged.length,
    'steps that were not reached': [isReached ? [] : [step], { is: 0 }],
    ...halfway,
    ...(await compareAtEnd(database, taken())),
    ...(await wrongOutcomes({ database, acknowledged, receiver })),
  }
}

interface CarrierSide {
  env: Record<string, string>
  memory: string | undefined
  taken(): TakenPart[]
  /** Put around the carrier of the gateway that takes the place of the one that ended. */
  aroundCarrier(carrier: Carrier): Carrier
}

async function carrierOf(kind: CarrierKind, folder: string): Promise<CarrierSide> {
  if (kind === 'smpp') {
    const smsc = await fakeCarrier({ answerMs: 20, delayMs: 30 })
    const settings = 'responseMs=1000&reconnectMs=100'
    return {
      env: { WIGWAG_CARRIER: `smpp://steps:secret@127.0.0.1:${smsc.port}?${settings}` },
      memory: undefined,
      taken: () =>
        smsc.taken.map(({ destination, text, part }) => ({ destination, text, ...(part && { part }) })),
      aroundCarrier: (carrier) => carrier,
    }
  }
  const memory = join(folder, 'taken.jsonl')
  return {
    env: { WIGWAG_SIMULATOR_DELAY_MS: '30' },
    memory,
    taken: () => takenBefore(memory),
    aroundCarrier: (carrier) => withMemory(carrier, memory),
  }
}
