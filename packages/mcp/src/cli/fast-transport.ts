import type { ClientOptions } from '@wigwag/sdk'

type Transport = NonNullable<ClientOptions['fetch']>

/** Up to this many concurrent calls, `fetch` answers sooner. With more, the Node transport uses less CPU. */
const FEW = 4

/**
 * A transport for many concurrent calls; undefined where `undici` is not installed. The SDK's Node transport checks an idle
 * connection for a millisecond before it reuses it, so `fetch` serves when calls are few.
 */
export async function fastTransport(): Promise<Transport | undefined> {
  const many = await nodeTransport()
  if (!many) return undefined
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

async function nodeTransport(): Promise<Transport | undefined> {
  try {
    const node = await import('@wigwag/sdk/node')
    return node.nodeTransport()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
