import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import type { Database } from '../../../src/store/database.ts'
import { endLeases, endValidity } from '../../support/books.ts'
import { askGateway, markIn } from './ask.ts'
import { type Clients, startClients } from './clients.ts'
import { type FaultCounts, type FaultsOptions, NO_FAULTS, startFaults } from './faults.ts'
import type { Gateways } from './gateways.ts'
import type { History, Taken } from './history.ts'
import { startOperator } from './operator.ts'
import { openScene, type Scene, type SceneOptions } from './scene.ts'
import type { SharedWallet } from './wallets.ts'

export interface RunOptions extends SceneOptions {
  seed: number
  ms: number
  clients: number
  /** How long a client rests between two requests, on average. */
  restMs: number
  faults?: Pick<FaultsOptions, 'kinds' | 'everyMs' | 'atLeast'>
  /** How long to wait in the end for all messages to become final. */
  patienceMs: number
}

/** About as often the operator books something on each wallet. */
const BOOK_EACH_MS = 600

/** Lets clients use gateways for a while, and gives what they recorded. */
export async function runHistory(options: RunOptions): Promise<{ history: History; faults: FaultCounts }> {
  const scene = await openScene(options)
  try {
    return await record(scene, options)
  } finally {
    await scene.close()
  }
}

async function record(
  { gateways, parts, administrator, carrier, wallets }: Scene,
  { seed, ms, clients: count, restMs, faults: planned, patienceMs }: RunOptions,
): Promise<{ history: History; faults: FaultCounts }> {
  const clock = systemClock
  const clients = startClients({ gateways, wallets, clock, seed, clients: count, restMs })
  const { operations, newId } = clients
  const { operator } = parts
  const booking = { operator, wallets, clock, seed, operations, newId }
  const operating = startOperator({ ...booking, restMs: BOOK_EACH_MS / wallets.length })
  const faults = planned && startFaults({ gateways, administrator, seed, ...planned })
  await pause(ms)
  await faults?.stop()
  await operating.stop()
  await clients.stop()
  await comeToRest(parts.database, patienceMs)
  const quietFrom = clock.elapsed()
  await readAll({ gateways, wallets, clients })
  const taken = carrier
    .taken()
    .map(
      ({ destination, text, part }): Taken => ({ mark: markIn(text), destination, part: part?.number ?? 1 }),
    )
  const starts = wallets.map(({ name, opening }) => ({ name, opening }))
  return {
    history: { seed, wallets: starts, operations, quietFrom, taken },
    faults: faults?.counts ?? NO_FAULTS,
  }
}

/** A gateway settles what it holds much faster than this. */
const STILL_MS = 1_500

/**
 * Waits until nothing is left to do, or for as long as the patience lasts: then the history shows the rest.
 * Jobs that stand still belonged to a gateway that was killed, or wait for a receipt that went to one.
 */
async function comeToRest(database: Database, patienceMs: number): Promise<void> {
  const deadline = systemClock.elapsed() + patienceMs
  let last = { jobs: -1, since: 0 }
  while (systemClock.elapsed() < deadline) {
    const [row] = await database.read(({ run }) =>
      run<{ jobs: number }>('SELECT count(*) AS jobs FROM outbox', []),
    )
    const jobs = row?.jobs ?? 0
    if (jobs === 0) return
    if (jobs !== last.jobs) last = { jobs, since: systemClock.elapsed() }
    if (systemClock.elapsed() - last.since > STILL_MS) {
      await endLeases(database)
      await endValidity(database)
      last = { jobs: -1, since: 0 }
    }
    await pause(50)
  }
}

/** Reads all there is to read, the balances at each gateway. */
async function readAll({
  gateways,
  wallets,
  clients: { operations, newId },
}: {
  gateways: Gateways
  wallets: readonly SharedWallet[]
  clients: Clients
}): Promise<void> {
  for (const wallet of wallets) {
    const read = async (gateway: number, intent: Parameters<typeof askGateway>[1]) => {
      const began = systemClock.elapsed()
      const record = () => ({
        id: newId(),
        client: -1,
        gateway,
        wallet: wallet.name,
        began,
        ended: systemClock.elapsed(),
      })
      operations.push(
        await askGateway({ url: gateways.urlOf(gateway), account: wallet.account, record }, intent),
      )
    }
    for (let gateway = 0; gateway < gateways.count; gateway++) await read(gateway, { kind: 'balance' })
    await read(0, { kind: 'search', ask: { whole: true } })
    await read(0, { kind: 'ledger', whole: true })
  }
}
