import { connect, createServer, type Socket } from 'node:net'

/** A server between, that lends its one connection to each client for one transaction at a time. */
export interface Pooler {
  url: string
  close(): Promise<void>
}

export interface PoolerOptions {
  /** Whether what a client has set is reset after each of its transactions. */
  resets?: boolean
  /** Whether it keeps the options of the first client to itself. */
  dropsOptions?: boolean
}

const HELLO = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])
const END = 0x58
const READY = 0x5a
const IDLE = 0x49
const RESET = Buffer.from('Q\0\0\0\x10DISCARD ALL\0', 'latin1')

/** Opens one. The first client says to the server who it is, and later ones are the same. */
export async function openPooler(
  target: string,
  { resets = false, dropsOptions = false }: PoolerOptions = {},
): Promise<Pooler> {
  const { hostname, port } = new URL(target)
  const far = connect(Number(port), hostname).on('error', () => undefined)
  const clients = new Set<Socket>()
  const waiting: { client: Socket; chunk: Buffer }[] = []
  let owner: Socket | 'reset' | undefined
  let known = false

  function next(): void {
    const at = waiting.findIndex(({ client }) => owner === undefined || owner === client)
    const [first] = at < 0 ? [] : waiting.splice(at, 1)
    if (!first) return
    owner = first.client
    far.write(first.chunk)
    next()
  }

  function release(): void {
    owner = resets && owner !== 'reset' ? 'reset' : undefined
    if (owner === 'reset') far.write(RESET)
    else next()
  }

  const server = createServer((client) => {
    let begun = false
    clients.add(client)
    client.on('error', () => undefined).on('close', () => clients.delete(client))
    client.on('data', (chunk: Buffer) => {
      if (chunk[0] === END) client.end()
      else if (!begun && known) client.write(HELLO)
      else waiting.push({ client, chunk: !begun && dropsOptions ? withoutOptions(chunk) : chunk })
      begun = true
      next()
    })
  })
  let rest = Buffer.alloc(0)
  far.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const message = rest.subarray(0, 1 + rest.readInt32BE(1))
      rest = rest.subarray(message.length)
      if (owner instanceof Object) owner.write(message)
      if (message[0] !== READY) continue
      known = true
      if (message[5] === IDLE) release()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(target)
  url.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return {
    url: url.href,
    async close() {
      for (const socket of [far, ...clients]) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The message with which a client begins, in which names and values end with a zero. */
function withoutOptions(begin: Buffer): Buffer {
  const said = begin.toString('latin1', 8).replace(/(^|\0)options\0[^\0]*\0/, '$1')
  const head = Buffer.from(begin.subarray(0, 8))
  head.writeInt32BE(8 + said.length)
  return Buffer.concat([head, Buffer.from(said, 'latin1')])
}
