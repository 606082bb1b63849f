import type { ClientOptions } from '../src/index.ts'
import { nodeTransport } from '../src/node/index.ts'

/** Makes the option that chooses a client's transport. */
export type Carrier = () => Pick<ClientOptions, 'fetch'>

/** Every promise of the client holds over each of these. */
export const carriers: [name: string, carrier: Carrier][] = [
  ['fetch', () => ({})],
  ['undici', () => ({ fetch: nodeTransport() })],
]
