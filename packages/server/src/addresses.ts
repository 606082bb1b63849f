import type { Config } from './config.ts'

/** Where the gateway is reached: as it is configured, else as it listens. */
export interface Addresses {
  publicUrl(): string
  deskUrl(): string
  /** Whether people can sign in: a token is valid only for the exact address that it was issued for. */
  canSignIn: boolean
  servedAt(url: string): void
  deskServedAt(url: string): void
}

export function createAddresses(config: Config): Addresses {
  let served = `http://${config.host}:${config.port}`
  let deskServed = `http://localhost:${config.desk?.port}`
  return {
    publicUrl: () => config.publicUrl ?? served,
    deskUrl: () => config.desk?.url ?? deskServed,
    canSignIn: config.environment === 'sandbox' || config.publicUrl !== undefined,
    servedAt(url) {
      served = url
    },
    deskServedAt(url) {
      const { hostname, port } = new URL(url)
      // Browsers know passkeys of localhost, not of an address.
      deskServed = hostname === '127.0.0.1' ? `http://localhost:${port}` : url
    },
  }
}
