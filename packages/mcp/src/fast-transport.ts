import type { ClientOptions } from '@wigwag/sdk'

/**
 * The SDK's transport over undici, where that is installed: it takes several times the calls of Node's own `fetch`.
 * Undefined where it is not, and `fetch` does as well.
 */
export async function fastTransport(): Promise<ClientOptions['transport']> {
  try {
    const { nodeTransport } = await import('@wigwag/sdk/node')
    return nodeTransport()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
