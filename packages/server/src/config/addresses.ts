import type { Config } from './config.ts'

/** Where the gateway is reached: as it is configured, else as it listens. */
export class Addresses {
  readonly #config: Config
  #served: string
  #deskServed: string
  /** Whether people can sign in: a token is valid only for the exact address that it was issued for. */
  readonly canSignIn: boolean

  constructor(config: Config) {
    this.#config = config
    this.#served = `http://${config.host}:${config.port}`
    this.#deskServed = `http://localhost:${config.desk?.port}`
    this.canSignIn = config.environment === 'sandbox' || config.publicUrl !== undefined
  }

  readonly publicUrl = (): string => this.#config.publicUrl ?? this.#served

  readonly deskUrl = (): string => this.#config.desk?.url ?? this.#deskServed

  readonly servedAt = (url: string): void => {
    this.#served = url
  }

  readonly deskServedAt = (url: string): void => {
    const { hostname, port } = new URL(url)
    // Browsers know passkeys of localhost, not of an address.
    this.#deskServed = hostname === '127.0.0.1' ? `http://localhost:${port}` : url
  }
}
