import pg from 'pg'

/** A host that vanished answers nothing, and the next one is not to wait long for that. */
const CONNECT_WITHIN_MS = 2_000
/** Where there is no other host, nothing is won by giving up soon. */
const CONNECT_ALONE_WITHIN_MS = 10_000

/** The hosts of an address. The one that worked last is asked first, and after one that failed the next. */
export interface Hosts {
  readonly count: number
  /** How long a host may take to let a client in, and as long again to serve it. */
  readonly connectWithinMs: number
  /** Makes clients of the host whose turn it is. */
  readonly Client: new (
    config?: pg.ClientConfig,
  ) => pg.Client
  /** The host of a client serves us. */
  worked(client: pg.Client): void
  /** The host of a client does not serve us: the next one has its turn. */
  failed(client: pg.Client): void
  /** Calls when another host than before serves us, with a test for clients of others. Stops when called back. */
  onMoved(call: (isElsewhere: (client: pg.Client) => boolean) => void): () => void
}

export function createHosts(
  addresses: readonly string[],
  connectWithinMs = addresses.length > 1 ? CONNECT_WITHIN_MS : CONNECT_ALONE_WITHIN_MS,
): Hosts {
  const placeOf = new WeakMap<pg.Client, number>()
  const calls = new Set<Parameters<Hosts['onMoved']>[0]>()
  let turn = 0
  let serving: number | undefined

  function failed(client: pg.Client): void {
    // Of several that fail together, the first passes the turn on.
    if (placeOf.get(client) === turn) turn = (turn + 1) % addresses.length
  }

  class HostClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      const connectionString = addresses[turn]
      super({ ...config, connectionString, connectionTimeoutMillis: connectWithinMs })
      placeOf.set(this, turn)
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

  return {
    count: addresses.length,
    connectWithinMs,
    Client: HostClient,
    failed,
    worked(client) {
      const [place, before] = [placeOf.get(client), serving]
      if (place === undefined) return
      turn = place
      serving = place
      if (before === undefined || before === place) return
      for (const call of calls) call((other) => placeOf.get(other) !== place)
    },
    onMoved(call) {
      calls.add(call)
      return () => void calls.delete(call)
    },
  }
}
