import { performance } from 'node:perf_hooks'

const SAMPLE_MS = 50
const SATURATED = 0.9

/**
 * Tells whether the event loop had hardly a moment to spare of late: then whatever is done now is done at the cost
 * of somebody who waits for an answer.
 */
export function createSaturation(): () => boolean {
  let from = performance.eventLoopUtilization()
  let sampledAt = performance.now()
  let saturated = false

  return function isSaturated() {
    const now = performance.now()
    if (now - sampledAt >= SAMPLE_MS) {
      saturated = performance.eventLoopUtilization(from).utilization > SATURATED
      from = performance.eventLoopUtilization()
      sampledAt = now
    }
    return saturated
  }
}
