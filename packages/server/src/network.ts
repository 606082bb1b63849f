import { createAddressGuard } from './platform/outbound/address-guard.ts'
import { createOutbound } from './platform/outbound/outbound.ts'
import type { Outbound, TargetRefusal } from './platform/outbound/port.ts'

export interface Network {
  /** Posts callbacks. There are more sockets than places in the lanes that post, so that none waits here. */
  callbacks: Outbound
  /**
   * Fetches documents. Anyone can trigger a fetch from any host, so it has separate sockets: callbacks never wait for
   * it.
   */
  documents: Outbound
  /** Reaches HTTP carriers, with as many sockets as their windows may be wide. */
  carriers: Outbound
  /** Says why a URL would be refused before any request. */
  refusal: TargetRefusal
  close(): void
}

/** A message whose request found no socket in this time was not sent, and comes again later. */
const CARRIER_SOCKETS = { maxSockets: 2_000, waitMs: 10_000 }
const DOCUMENT_SOCKETS = { maxSockets: 32, waitMs: 5_000 }

/** Creates the only network access to addresses that clients choose. */
export function createNetwork(options: { allowLoopback: boolean; allowedCidrs: readonly string[] }): Network {
  const guard = createAddressGuard(options)
  const callbacks = createOutbound({ guard })
  const documents = createOutbound({ guard, ...DOCUMENT_SOCKETS })
  const carriers = createOutbound({ guard, ...CARRIER_SOCKETS })
  return {
    callbacks: callbacks.request,
    documents: documents.request,
    carriers: carriers.request,
    refusal: callbacks.refusal,
    close() {
      callbacks.close()
      documents.close()
      carriers.close()
    },
  }
}
