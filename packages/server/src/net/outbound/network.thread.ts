/** Sends requests for the first thread. */
import { workerData } from 'node:worker_threads'
import { serveFirstThread } from '../../kernel/process/first-thread.ts'
import { Network } from './outbound.ts'
import type { OutboundResult } from './port.ts'
import type { NetworkAsk } from './thread.ts'

serveFirstThread<NetworkAsk, OutboundResult>(() => {
  const network = new Network(workerData)
  const underWay = new Set<Promise<OutboundResult>>()
  return {
    async answer({ by, request }) {
      const sending = network[by](request)
      underWay.add(sending)
      const result = await sending
      underWay.delete(sending)
      // A small reply is a part of a large buffer, which would be copied whole.
      return result.kind === 'reply' ? { ...result, body: new Uint8Array(result.body) } : result
    },
    async close() {
      network.close()
      await Promise.allSettled(underWay)
    },
  }
})
