import type { Tracing } from '../../platform/observe/tracing.ts'
import type { Carrier } from '../carrier.ts'

/** Makes a span of each submission, once it is over, so that no submission waits for it. */
export function tracedCarrier(carrier: Carrier, tracing: Tracing): Carrier {
  return {
    ...carrier,
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
  }
}
