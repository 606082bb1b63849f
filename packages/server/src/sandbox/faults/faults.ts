import type { Carrier } from '../../delivery/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/port.ts'
import { faultyCarrier } from './carrier.ts'
import { faultyLimit } from './front-door.ts'
import type { FaultParts, Limit } from './parts.ts'
import { faultyReceivers } from './receivers.ts'
import { type FaultSettings, faultsInWords, NO_FAULTS } from './settings.ts'

/** Faults that people switch on to test their programs. In memory: a restart ends them. */
export interface Faults {
  settings(): FaultSettings
  set(settings: FaultSettings): void
  /** Switches all faults off, and releases what waits for them. */
  end(): void
  /** How many submissions and callbacks a fault keeps waiting for time to pass. */
  keptWaiting(): number
  /** What goes wrong between the gateway and a carrier. */
  aroundCarrier(carrier: Carrier): Carrier
  /** What goes wrong at the receivers of callbacks. */
  aroundReceivers(outbound: Outbound): Outbound
  /** What goes wrong in the gateway itself. */
  aroundLimit(limit: Limit | undefined): Limit
}

export interface FaultsOptions {
  clock: Clock
  log: Logger
  random(): number
}

export function createFaults({ clock, log, random }: FaultsOptions): Faults {
  let settings = NO_FAULTS
  /** Ends the pauses that are under way. */
  const pauses = new Set<() => void>()

  const parts: FaultParts = {
    settings: () => settings,
    pause: (ms) =>
      new Promise((resolve) => {
        const cancel = clock.after(ms, () => end())
        const end = () => {
          cancel()
          pauses.delete(end)
          resolve()
        }
        pauses.add(end)
      }),
    random,
    elapsed: clock.elapsed,
    log: (fault, detail) => log.info({ fault, ...detail }, 'a fault did this on purpose'),
  }

  function change(next: FaultSettings): void {
    settings = next
    for (const end of [...pauses]) end()
  }

  return {
    settings: parts.settings,
    set(next) {
      change(next)
      log.warn({ fault: faultsInWords(next) }, 'the faults of the sandbox were set')
    },
    end: () => change(NO_FAULTS),
    keptWaiting: () => pauses.size,
    aroundCarrier: (carrier) => faultyCarrier(carrier, parts),
    aroundReceivers: (outbound) => faultyReceivers(outbound, parts),
    aroundLimit: (limit) => faultyLimit(limit, parts),
  }
}
