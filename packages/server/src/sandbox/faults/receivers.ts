import type { Outbound } from '../../platform/outbound/port.ts'
import type { FaultMeans } from './means.ts'

const REPLY = new TextEncoder().encode('The sandbox answered in place of the receiver: a fault is on.')

/** Receivers that fail. Nothing is posted to them meanwhile. */
export function faultyReceivers(outbound: Outbound, means: FaultMeans): Outbound {
  return async function post(request) {
    const { receivers } = means.settings()
    if (receivers === undefined) return outbound(request)
    const began = means.elapsed()
    means.log(`receivers ${receivers}`, { callback: request.headers['webhook-id'] })
    if (receivers !== 'time out')
      return {
        kind: 'reply',
        status: Number(receivers),
        headers: {},
        body: REPLY,
        truncated: false,
        latencyMs: means.elapsed() - began,
      }
    await means.pause(request.timeoutMs)
    return {
      kind: 'failure',
      stage: 'during',
      failure: 'timeout',
      detail: 'the sandbox kept the request back: a fault is on',
      latencyMs: means.elapsed() - began,
    }
  }
}
