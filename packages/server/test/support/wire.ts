import { connect, createServer, type Socket } from 'node:net'

/** A line to a server that can be cut and mended. */
export interface Wire {
  /** The server's URL, by this line. */
  url: string
  /** Breaks what is connected, and refuses what comes. */
  cut(): Promise<void>
  mend(): Promise<void>
  /** Leads new connections to another server. Those that are open stay where they are. */
  turnTo(target: string): void
  /**
   * Breaks the connection on which this text goes by, at the COMMIT that follows or at the very statement if it commits
   * by itself: before it gets through, or after.
   */
  breakCommit(of: string, when: 'before' | 'after'): void
  close(): Promise<void>
}

export async function openWire(target: string): Promise<Wire> {
  let { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let trap: { of: string; when: 'before' | 'after' } | undefined
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    let seen = false
    let inTransaction = false
    near.on('data', (chunk: Buffer) => {
      seen ||= trap !== undefined && chunk.includes(trap.of)
      if (chunk.includes('BEGIN')) inTransaction = true
      const commits = chunk.includes('COMMIT')
      const caught = seen && (commits || !inTransaction) ? trap : undefined
      if (commits || chunk.includes('ROLLBACK')) inTransaction = false
      if (caught === undefined) far.write(chunk)
      else {
        trap = undefined
        far.unpipe(near)
        if (caught.when === 'before') near.destroy()
        // What is answered goes nowhere, but shows that the server is done.
        else
          far
            .on('data', () => near.destroy())
            .resume()
            .write(chunk)
      }
    })
    far.pipe(near)
  })
  let at = 0
  const listen = () => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen()
  const address = server.address()
  at = typeof address === 'object' && address ? address.port : 0

  function cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    return closed
  }
  const url = new URL(target)
  url.host = `127.0.0.1:${at}`
  return {
    url: url.href,
    cut,
    mend: listen,
    turnTo(other) {
      ;({ hostname, port } = new URL(other))
    },
    breakCommit(of, when) {
      trap = { of, when }
    },
    close: async () => (server.listening ? cut() : undefined),
  }
}
