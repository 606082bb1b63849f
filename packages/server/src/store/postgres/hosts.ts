import pg from 'pg'

/** A host that vanished answers nothing, and the next one is not to wait long for that. */
const CONNECT_WITHIN_MS = 2_000
/** Where there is no other host, nothing is won by giving up soon. */
const CONNECT_ALONE_WITHIN_MS = 10_000

type OnMoved = (isElsewhere: (client: pg.Client) => boolean) => void

/** The hosts of an address. The one that worked last is asked first, and after one that failed the next. */
export class Hosts {
  readonly #addresses: readonly string[]
  /** How long a host may take to let a client in, and as long again to serve it. */
  readonly connectWithinMs: number
  /** Makes clients of the host whose turn it is. */
  readonly Client: new (
    config?: pg.ClientConfig,
  ) => pg.Client
  readonly #placeOf = new WeakMap<pg.Client, number>()
  readonly #calls = new Set<OnMoved>()
  #turn = 0
  #serving: number | undefined

  constructor(addresses: readonly string[], connectWithinMs?: number) {
    this.#addresses = addresses
    this.connectWithinMs =
      connectWithinMs ?? (addresses.length > 1 ? CONNECT_WITHIN_MS : CONNECT_ALONE_WITHIN_MS)
    this.Client = this.#clientClass()
  }

  get count(): number {
    return this.#addresses.length
  }

  /** The host of a client serves us. */
  worked(client: pg.Client): void {
    const [place, before] = [this.#placeOf.get(client), this.#serving]
    if (place === undefined) return
    this.#turn = place
    this.#serving = place
    if (before === undefined || before === place) return
    for (const call of this.#calls) call((other) => this.#placeOf.get(other) !== place)
  }

  /** The host of a client does not serve us: the next one has its turn. */
  failed(client: pg.Client): void {
    // Of several that fail together, the first passes the turn on.
    if (this.#placeOf.get(client) === this.#turn) this.#turn = (this.#turn + 1) % this.count
  }

  /** Calls when another host than before serves us, with a test for clients of others. Stops when called back. */
  onMoved(call: OnMoved): () => void {
    this.#calls.add(call)
    return () => void this.#calls.delete(call)
  }

  #clientClass(): Hosts['Client'] {
    const next = () => ({
      connectionString: this.#addresses[this.#turn],
      connectionTimeoutMillis: this.connectWithinMs,
    })
    const made = (client: pg.Client) => this.#placeOf.set(client, this.#turn)
    const failed = (client: pg.Client) => this.failed(client)
    return class HostClient extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super({ ...config, ...next() })
        made(this)
      }

      override connect(): Promise<pg.Client>
      override connect(done: (error: Error | null, client?: pg.Client) => void): void
      override connect(done?: (error: Error | null, client?: pg.Client) => void) {
        if (!done)
          return new Promise<pg.Client>((resolve, reject) =>
            this.connect((error) => (error ? reject(error) : resolve(this))),
          )
        return super.connect((error: Error | null) => {
          if (error) failed(this)
          done(error, this)
        })
      }
    }
  }
}
