import type { ConnectorOptions } from './options.ts'

/** How the tools reach the gateway that they are in: by its own door, without a network between. */
export function insideOf({ fetch }: Pick<ConnectorOptions, 'fetch'>) {
  return { baseUrl: 'http://gateway.invalid', fetch }
}
