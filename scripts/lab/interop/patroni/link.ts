import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../../../../packages/server/test/support/free-port.ts'

/** The only way to a port of this machine. It can be cut as a network is: nothing goes by, and nothing is closed. */
export interface Link {
  port: number
  cut(): void
  /** Cuts connections that begin with this text, and no others. */
  cutWhatBegins(text: string): void
  /** Lets new connections pass again, and closes the cut ones. */
  mend(): void
  close(): Promise<void>
}

export async function openLink(target: number): Promise<Link> {
  const sockets = new Set<Socket>()
  const hung = new Set<Socket>()
  let isCut: (begin: Buffer) => boolean = () => false
  let all = false

  function keep(socket: Socket): Socket {
    sockets.add(socket)
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }

  function hang(socket: Socket): void {
    socket.removeAllListeners('data').removeAllListeners('close').unpipe()
    socket.on('close', () => sockets.delete(socket)).pause()
    hung.add(socket)
  }

  const server = createServer((near) => {
    keep(near)
    if (all) return hang(near)
    const far = keep(connect(target, '127.0.0.1'))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.once('data', (begin) => {
      if (isCut(begin)) {
        hang(near)
        hang(far)
        return
      }
      far.write(begin)
      near.pipe(far)
    })
    far.pipe(near)
  })
  const port = await freePort()
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    port,
    cut() {
      all = true
      for (const socket of sockets) hang(socket)
    },
    cutWhatBegins(text) {
      isCut = (begin) => begin.toString('latin1').startsWith(text)
    },
    mend() {
      all = false
      isCut = () => false
      for (const socket of hung) socket.destroy()
      hung.clear()
    },
    async close() {
      const closed = once(server.close(), 'close')
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
