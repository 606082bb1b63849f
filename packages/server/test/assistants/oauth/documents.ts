import type { Outbound, OutboundRequest, OutboundResult } from '../../../src/net/outbound/port.ts'

/** The network as far as clients' documents go, in place of the real one. */
export interface Documents {
  outbound: Outbound
  /** The requests so far, in order. */
  asked: OutboundRequest[]
  /** Puts what a client says of itself, or any other answer, at an address. */
  put(url: string, document: unknown, reply?: Partial<Extract<OutboundResult, { kind: 'reply' }>>): void
}

export function createDocuments(): Documents {
  const asked: OutboundRequest[] = []
  const replies = new Map<string, OutboundResult>()
  return {
    asked,
    put(url, document, reply = {}) {
      const text = typeof document === 'string' ? document : JSON.stringify(document)
      replies.set(url, {
        kind: 'reply',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(text),
        truncated: false,
        latencyMs: 1,
        ...reply,
      })
    },
    async outbound(request) {
      asked.push(request)
      const found = replies.get(request.url)
      if (!found) return { kind: 'failure', stage: 'before', failure: 'dns_failed', detail: '', latencyMs: 1 }
      const { maxReplyBytes } = request
      if (found.kind === 'failure' || found.body.length <= maxReplyBytes) return found
      return { ...found, body: found.body.subarray(0, maxReplyBytes), truncated: true }
    },
  }
}
