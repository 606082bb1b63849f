import { setTimeout as pause } from 'node:timers/promises'
import type { BenchDatabase } from '../rig/database.ts'
import { finals, loadSends, type Target, untilIdle } from '../rig/gateways.ts'
import type { Load, LoadResult } from '../rig/load.ts'
import { atRest } from '../rig/processes.ts'
import type { Receiver } from '../rig/receiver.ts'
import type { Usage } from '../rig/usage.ts'

/** One gateway under one load: what went in, and what came out within the same time. */
export interface Measured {
  load: LoadResult
  messages: number
  /** Messages that became final within the measured time; `told`: callbacks. */
  ended: Share
  told: Share | undefined
  /** Callbacks of the first ten seconds, by messages accepted in them. */
  toldEarly: number | undefined
  /** Messages that were not final or not told when the load ended, and the time until they were. */
  left: number
  leftMs: number
  /** Processor time a message until nothing is left to do. */
  gatewayUs: number
  databaseUs: number
  /** Of what shares the processors with them. */
  loadUs: number
  receiverUs: number
  carrierUs: number
  /** How much more memory the gateways held at the end than at the start, a message. */
  keptBytes: number
  peakMb: number
}

export interface Share {
  perSecond: number
  /** By what was accepted in the same time. */
  ratio: number
}

/** The programs that a gateway works with, besides its database. */
export interface Beside {
  carrier?: Usage | undefined
  /** All messages ask for callbacks to it, and no one else's do. */
  receiver?: Receiver | undefined
}

const EARLY_S = 10

/** Notes what a receiver has been told, ten times a second: only afterwards does a load say when it began. */
class ToldWatch {
  readonly #seen: { at: number; told: number }[] = []
  #isOver = false
  readonly #watching: Promise<void>

  constructor(receiver: Receiver) {
    this.#watching = this.#look(receiver)
  }

  async #look(receiver: Receiver): Promise<void> {
    while (!this.#isOver) {
      this.#seen.push({ at: Date.now(), ...(await receiver.counted()) })
      await pause(100)
    }
  }

  /** The callbacks it had been told of at a moment. The watch ends. */
  async toldBy(moment: number): Promise<number> {
    this.#isOver = true
    await this.#watching
    const next = this.#seen.findIndex(({ at }) => at >= moment)
    const [before, after] = [this.#seen[next - 1], this.#seen[next]]
    if (!before || !after) throw new Error('expected the load to last until then')
    const share = (moment - before.at) / (after.at - before.at)
    return before.told + share * (after.told - before.told)
  }
}

/** From nothing under way to nothing under way, so that a message that is counted pays for all that it costs. */
export async function measureFlow(
  gateway: Target,
  database: BenchDatabase,
  { seconds, connections, callers }: Pick<Load, 'seconds' | 'connections' | 'callers'>,
  { carrier, receiver }: Beside = {},
): Promise<Measured> {
  const read = async () => ({
    at: performance.now(),
    finals: await finals(gateway),
    told: (await receiver?.counted())?.told ?? 0,
    gatewayMs: gateway.cpuMs(),
    databaseMs: database.cpuMs(),
    receiverMs: receiver?.cpuMs() ?? 0,
    carrierMs: carrier?.cpuMs() ?? 0,
    residentMb: gateway.residentMb(),
  })
  await untilIdle(gateway, receiver)
  gateway.forgetPeak()
  const before = await read()
  const watch = receiver && seconds > EARLY_S ? new ToldWatch(receiver) : undefined
  const load = await loadSends(gateway, connections, seconds, callers, receiver)
  const then = await read()
  const earlyTold = watch && (await watch.toldBy(load.startedAt + EARLY_S * 1_000)) - before.told
  const earlyAccepted = load.bySecond.slice(0, EARLY_S).reduce((sum, { answers }) => sum + answers, 0)
  await untilIdle(gateway, receiver)
  const emptyAt = performance.now()
  await atRest(() => gateway.cpuMs() + database.cpuMs())
  const after = await read()

  type Reading = typeof before
  const messages = after.finals - before.finals
  const us = (of: keyof Reading) => ((after[of] - before[of]) * 1_000) / messages
  const share = (of: keyof Reading): Share => {
    const ratio = (then[of] - before[of]) / load.requests
    return { ratio, perSecond: ratio * load.perSecond }
  }
  return {
    load,
    messages,
    ended: share('finals'),
    told: receiver && share('told'),
    toldEarly: earlyTold === undefined ? undefined : earlyTold / earlyAccepted,
    left: load.requests - (receiver ? then.told - before.told : then.finals - before.finals),
    leftMs: emptyAt - then.at,
    gatewayUs: us('gatewayMs'),
    databaseUs: us('databaseMs'),
    loadUs: (load.cpuMs * 1_000) / messages,
    receiverUs: us('receiverMs'),
    carrierUs: us('carrierMs'),
    keptBytes: ((after.residentMb - before.residentMb) * 2 ** 20) / messages,
    peakMb: gateway.peakMb(),
  }
}
