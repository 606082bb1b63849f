import type { Carrier } from '../../delivery/index.ts'
import type { FaultParts } from './parts.ts'

/**
 * A carrier that is slow and loses receipts. A lost one was acknowledged, so it does not come again; a
 * carrier that can be asked still tells the outcome later.
 */
export function faultyCarrier(carrier: Carrier, parts: FaultParts): Carrier {
  return {
    ...carrier,
    async submit(message) {
      const { slowMs } = parts.settings()
      if (slowMs !== undefined) {
        parts.log('carrier takes longer', { ticket: message.ticket, slowMs })
        await parts.pause(slowMs)
      }
      return carrier.submit(message)
    },
    start: (events) =>
      carrier.start({
        ...events,
        onReceipts(receipts) {
          const { lostPercent } = parts.settings()
          if (lostPercent === undefined) return events.onReceipts(receipts)
          const arrived = receipts.filter(() => parts.random() * 100 >= lostPercent)
          if (arrived.length < receipts.length)
            parts.log('receipts get lost', { lost: receipts.length - arrived.length })
          return arrived.length > 0 ? events.onReceipts(arrived) : Promise.resolve()
        },
      }),
  }
}
