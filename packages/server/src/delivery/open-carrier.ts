import type { Tracing } from '../flow/observe/tracing.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Outbound } from '../net/outbound/port.ts'
import { around, type Carrier } from './carrier.ts'
import { HttpCarrier } from './carriers/http/carrier.ts'
import type { CarrierSettings } from './carriers/settings.ts'
import { type Simulated, Simulator } from './carriers/simulator.ts'
import { SmppCarrier } from './carriers/smpp.ts'
import type { SmppThread } from './carriers/smpp-thread.ts'
import { receiptsPath } from './receipt-door.ts'

/** How this gateway reaches carriers, and is reached by them. */
export interface Surroundings {
  clock: Clock
  /** For waits on a network, which a sandbox's moves of its clock must not shorten; `clock` when left out. */
  steadyClock?: Clock | undefined
  simulator: Simulated
  /** Reaches HTTP carriers. */
  outbound: Outbound
  /** Where HTTP carriers reach this gateway. */
  publicUrl(): string
  /** Takes no receipts. */
  submitOnly?: boolean
  /** Keeps the connections of carriers over SMPP in another thread than this one. */
  smppThread?: Pick<SmppThread, 'carrier'> | undefined
}

export function openCarrier(settings: CarrierSettings, surroundings: Surroundings): Carrier {
  const {
    clock,
    steadyClock = clock,
    simulator,
    outbound,
    publicUrl,
    submitOnly = false,
    smppThread,
  } = surroundings
  const random = Math.random
  switch (settings.kind) {
    case 'simulator':
      return new Simulator({ clock, random, name: settings.name }, simulator)
    case 'smpp':
      if (smppThread && !submitOnly) return smppThread.carrier(settings)
      return new SmppCarrier(settings, { clock: steadyClock, random, submitOnly })
    case 'http': {
      const path = receiptsPath(settings.name, settings.receiptsSecret ?? '')
      return new HttpCarrier(settings, {
        clock: steadyClock,
        outbound,
        receiptsUrl: () => publicUrl() + path,
      })
    }
  }
}

/** Makes a span of each submission, once it is over, so that no submission waits for it. */
export function tracedCarrier(carrier: Carrier, tracing: Tracing): Carrier {
  return around(carrier, {
    async submit(message) {
      const startedAt = tracing.now()
      const outcome = await carrier.submit(message)
      tracing.record({
        ticket: message.ticket,
        name: 'submit',
        kind: 'client',
        startedAt,
        attributes: {
          'wigwag.ticket': message.ticket,
          'wigwag.carrier': carrier.name,
          'wigwag.outcome': outcome.kind,
        },
        failed: outcome.kind !== 'accepted',
      })
      return outcome
    },
  })
}
