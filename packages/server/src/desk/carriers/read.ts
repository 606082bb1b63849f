import {
  type CarrierLine,
  type CarrierMessages,
  type CarrierOverview,
  carrierOverview,
  type PlanInForce,
  pauseOf,
} from '../../delivery/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import type { DeskParts } from '../parts.ts'
import { MOST_COUNTED, type PausedState } from './words.ts'

/** All carriers, as far as the database and this process know. */
export interface CarriersRead {
  overview: CarrierOverview
  carriers: readonly CarrierRead[]
  inForce: PlanInForce
  now: EpochMs
}

/** One carrier, in all gateways. */
export interface CarrierRead {
  /** Empty for messages without a carrier. */
  name: string
  lines: readonly CarrierLine[]
  paused: PausedState | undefined
  messages: CarrierMessages | undefined
}

export async function readCarriers({ database, clock, planInForce }: DeskParts): Promise<CarriersRead> {
  const now = clock.now()
  const inForce = planInForce()
  return database.read(async (tx) => {
    const overview = await carrierOverview(tx, now, MOST_COUNTED)
    const { reports, paused, messages } = overview
    const lines = reports.flatMap((report) => report.carriers)
    const names = new Set([
      ...inForce.plan.carriers.keys(),
      ...lines.map(({ carrier }) => carrier),
      ...messages.map(({ carrier }) => carrier),
      ...paused.keys(),
    ])
    const carriers: CarrierRead[] = []
    for (const name of [...names].sort()) {
      const at = paused.get(name)
      carriers.push({
        name,
        lines: lines.filter(({ carrier }) => carrier === name),
        paused: at === undefined ? undefined : { at, pause: await pauseOf(tx, name, at) },
        messages: messages.find(({ carrier }) => carrier === name),
      })
    }
    return { overview, carriers, inForce, now }
  })
}
