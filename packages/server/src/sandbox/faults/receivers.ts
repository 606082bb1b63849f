import type { Outbound } from '../../platform/outbound/port.ts'
import type { FaultParts } from './parts.ts'

const REPLY = new TextEncoder().encode('The sandbox answered in place of the receiver: a fault is on.')

/** Receivers that fail. Nothing is posted to them meanwhile. */
export function faultyReceivers(outbound: Outbound, parts: FaultParts): Outbound {
  return async function post(request) {
    const { receivers } = parts.settings()
    if (receivers === undefined) return outbound(request)
    const began = parts.elapsed()
    parts.log(`receivers ${receivers}`, { callback: request.headers['webhook-id'] })
    if (receivers !== 'time out')
      return {
        kind: 'reply',
        status: Number(receivers),
        headers: {},
        body: REPLY,
        truncated: false,
        latencyMs: parts.elapsed() - began,
      }
    await parts.pause(request.timeoutMs)
    return {
      kind: 'failure',
      stage: 'during',
      failure: 'timeout',
      detail: 'the sandbox kept the request back: a fault is on',
      latencyMs: parts.elapsed() - began,
    }
  }
}
