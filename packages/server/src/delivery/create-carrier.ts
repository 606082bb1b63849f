import type { Clock } from '../platform/clock.ts'
import type { Outbound } from '../platform/outbound/port.ts'
import type { Carrier } from './carrier.ts'
import { createHttpCarrier } from './carriers/http/carrier.ts'
import { createSimulator, type SimulatorOptions } from './carriers/simulator.ts'
import { createSmppCarrier } from './carriers/smpp.ts'
import type { CarrierSettings } from './plan/index.ts'
import { receiptsPath } from './receipt-door.ts'

export interface CarrierParts {
  clock: Clock
  /** For waits on a network, which a sandbox's moves of its clock must not shorten; `clock` when left out. */
  steadyClock?: Clock | undefined
  /** How simulated carriers behave. */
  simulator: Omit<SimulatorOptions, 'name' | 'clock' | 'random'>
  /** Reaches HTTP carriers. */
  outbound: Outbound
  /** Where HTTP carriers reach this gateway. */
  publicUrl(): string
  /** Takes no receipts. */
  submitOnly?: boolean
}

export function createCarrier(settings: CarrierSettings, parts: CarrierParts): Carrier {
  const { clock, steadyClock = clock, simulator, outbound, publicUrl, submitOnly = false } = parts
  switch (settings.kind) {
    case 'simulator':
      return createSimulator({ ...simulator, name: settings.name, clock, random: Math.random })
    case 'smpp':
      return createSmppCarrier(settings, { clock: steadyClock, random: Math.random, submitOnly })
    case 'http': {
      const path = receiptsPath(settings.name, settings.receiptsSecret ?? '')
      return createHttpCarrier(settings, {
        clock: steadyClock,
        outbound,
        receiptsUrl: () => publicUrl() + path,
      })
    }
  }
}
