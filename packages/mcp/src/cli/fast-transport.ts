import type { ClientOptions } from '@wigwag/sdk'
import type { NodeTransport } from '@wigwag/sdk/node'

type Transport = NonNullable<ClientOptions['fetch']>

/** Up to this many concurrent calls, `fetch` answers sooner. With more, the Node transport uses less CPU. */
const FEW = 4

/**
 * A transport for many concurrent calls; undefined where `undici` is not installed. The SDK's Node transport checks an idle
 * connection for a millisecond before it reuses it, so `fetch` serves when calls are few. It does not use the proxy that the
 * environment names, so behind one the Node transport serves all calls.
 */
export async function fastTransport(): Promise<Transport | undefined> {
  const many = await nodeTransport()
  if (!many || many.isProxied) return many
  let running = 0
  return async function send(url, init) {
    const transport = running < FEW ? fetch : many
    running++
    try {
      return await transport(url, init)
    } finally {
      running--
    }
  }
}

async function nodeTransport(): Promise<NodeTransport | undefined> {
  try {
    const node = await import('@wigwag/sdk/node')
    return node.nodeTransport()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
