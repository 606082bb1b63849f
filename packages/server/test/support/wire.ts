import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

/** A line to a server that can be cut and mended. */
export interface Wire {
  /** The server's URL, by this line. */
  url: string
  /** Breaks what is connected, and refuses what comes. */
  cut(): Promise<void>
  mend(): Promise<void>
  /**
   * Stops all bytes on connections that began with this text, without closing them. New connections go by as
   * ever.
   */
  vanish(of?: string): void
  /** The same for all connections. New ones are taken, and not answered either. */
  silence(): void
  /** Ends the silence for new connections. */
  speak(): void
  /** How many connections go by it now. */
  connections(): number
  /** Leads new connections to another server. Open ones stay where they are. */
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
  const lines = new Set<{ ends: readonly Socket[]; hello: string }>()
  let trap: { of: string; when: 'before' | 'after' } | undefined
  let isSilent = false
  const server = createServer((near) => {
    if (isSilent) {
      sockets.add(near.on('error', () => undefined))
      return
    }
    const far = connect(Number(port), hostname)
    const line = { ends: [near, far], hello: '' }
    lines.add(line)
    for (const socket of line.ends) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        lines.delete(line)
        near.destroy()
        far.destroy()
      })
    }
    let seen = false
    let inTransaction = false
    near.on('data', (chunk: Buffer) => {
      line.hello ||= chunk.toString('latin1')
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
        // The answer is dropped, but shows that the server is done.
        else
          far
            .on('data', () => near.destroy())
            .resume()
            .write(chunk)
      }
    })
    far.pipe(near)
  })
  const at = await freePort()
  const listen = () => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen()

  function cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    return closed
  }
  function vanish(of = ''): void {
    for (const { ends, hello } of lines) {
      if (!hello.includes(of)) continue
      for (const socket of ends) {
        socket
          .removeAllListeners()
          .on('error', () => undefined)
          .pause()
      }
    }
  }
  const url = new URL(target)
  url.host = `127.0.0.1:${at}`
  return {
    url: url.href,
    cut,
    mend: listen,
    vanish,
    silence() {
      isSilent = true
      vanish()
    },
    speak() {
      isSilent = false
    },
    connections: () => lines.size,
    turnTo(other) {
      ;({ hostname, port } = new URL(other))
    },
    breakCommit(of, when) {
      trap = { of, when }
    },
    close: async () => (server.listening ? cut() : undefined),
  }
}
