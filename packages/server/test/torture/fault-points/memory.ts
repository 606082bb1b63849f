import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { around, type Carrier } from '../../../src/delivery/carrier.ts'
import type { TakenPart } from '../../process/carrier.ts'

/**
 * Gives a simulated carrier a memory that survives the gateway in whose process it runs: a file says what it took. Writes
 * to it are synchronous, so that it has all that was answered.
 */
export function withMemory(carrier: Carrier, file: string): Carrier {
  return around(carrier, {
    async submit(message) {
      const outcome = await carrier.submit(message)
      if (outcome.kind !== 'accepted') return outcome
      const { recipient: destination, content: text } = message
      const line: TakenPart = { destination, text }
      appendFileSync(file, `${JSON.stringify(line)}\n`)
      return outcome
    },
  })
}

/** All that the carrier has taken. */
export function takenBefore(file: string): TakenPart[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line): TakenPart => JSON.parse(line))
}
