import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Carrier } from '../../../src/delivery/carrier.ts'
import type { TakenPart } from '../../process/carrier.ts'

interface Line extends TakenPart {
  ticket: string
  ref: string
}

/**
 * Gives a simulated carrier a memory that survives the gateway in whose process it runs: a file says what it took, and
 * answers its queries. Writes to it are synchronous, so that it has all that was answered.
 */
export function withMemory(carrier: Carrier, file: string): Carrier {
  const { query } = carrier
  return {
    ...carrier,
    async submit(message) {
      const outcome = await carrier.submit(message)
      if (outcome.kind !== 'accepted') return outcome
      const { ticket, recipient: destination, content: text } = message
      for (const { ref } of outcome.refs) {
        const line: Line = { ticket, ref, destination, text }
        appendFileSync(file, `${JSON.stringify(line)}\n`)
      }
      return outcome
    },
    query:
      query &&
      ((asked) => {
        const known = takenBefore(file).find(({ ticket }) => ticket === asked.ticket)
        return query({ ...asked, ref: known?.ref })
      }),
  }
}

/** All that the carrier has taken. */
export function takenBefore(file: string): Line[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line): Line => JSON.parse(line))
}
