import { createAddressGuard } from './address-guard.ts'
import { createOutbound } from './outbound.ts'
import type { Outbound, TargetRefusal } from './port.ts'

export interface Network {
  /** Posts callbacks. */
  callbacks: Outbound
  /**
   * Fetches documents. Anyone can trigger a fetch from any host, so it has separate sockets: callbacks never wait for
   * it.
   */
  documents: Outbound
  /** Says why a URL would be refused before any request. */
  refusal: TargetRefusal
  close(): void
}

const DOCUMENT_SOCKETS = { maxSocketsPerHost: 2, maxSockets: 32 }

/** Creates the only network access to addresses that clients choose. */
export function createNetwork(options: { allowLoopback: boolean; allowedCidrs: readonly string[] }): Network {
  const guard = createAddressGuard(options)
  const callbacks = createOutbound({ guard })
  const documents = createOutbound({ guard, ...DOCUMENT_SOCKETS })
  return {
    callbacks: callbacks.request,
    documents: documents.request,
    refusal: callbacks.refusal,
    close() {
      callbacks.close()
      documents.close()
    },
  }
}
