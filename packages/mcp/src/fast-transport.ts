import type { ClientOptions } from '@wigwag/sdk'

type Transport = NonNullable<ClientOptions['transport']>

/** Up to so many calls at once, `fetch` answers sooner; with more of them, the Node transport takes less of the processor. */
const FEW = 4

/**
 * The SDK's transport for Node, for many calls at once; undefined where `undici` is not installed. It looks at an idle
 * connection for a millisecond before it uses it again, so a few calls go over `fetch`.
 */
export async function fastTransport(): Promise<Transport | undefined> {
  const many = await nodeTransport()
  if (!many) return undefined
  let underWay = 0
  return async function send(input, init) {
    const transport = underWay < FEW ? fetch : many
    underWay++
    try {
      return await transport(input, init)
    } finally {
      underWay--
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
