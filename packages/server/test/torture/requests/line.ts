import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  headers: readonly (readonly [string, string])[]
  body: Buffer
}

export interface Bytes {
  bytes: Buffer
  /** Whether its answer ends with the headers. */
  head: boolean
  /** Whether it needs a connection that nothing else uses, because what follows it may be read as another request. */
  alone: boolean
}

/** A connection that carries bytes as they are, one request after the other, and is opened again when it was closed. */
export interface Line {
  /** The answer; undefined when the connection ended without a whole one. */
  ask(request: Bytes): Promise<Answer | undefined>
  close(): void
}

const PATIENCE_MS = 120_000

export function openLine({ hostname, port }: URL): Line {
  let open: Socket | undefined

  async function ask({ bytes, head, alone }: Bytes): Promise<Answer | undefined> {
    if (alone) close()
    open ??= connect({ port: Number(port), host: hostname, noDelay: true })
    const answer = await exchange(open, bytes, head)
    const last = answer?.headers.some(([name, value]) => name === 'connection' && value === 'close') ?? true
    if (alone || last) close()
    return answer
  }

  function close(): void {
    open?.destroy()
    open = undefined
  }
  return { ask, close }
}

function exchange(socket: Socket, bytes: Buffer, head: boolean): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    let pending = Buffer.alloc(0)
    const late = setTimeout(
      () =>
        settle(() =>
          reject(new Error(`no answer within ${PATIENCE_MS} ms to ${bytes.toString('latin1', 0, 500)}`)),
        ),
      PATIENCE_MS,
    )
    function settle(how: () => void): void {
      clearTimeout(late)
      socket.removeAllListeners()
      socket.on('error', () => undefined)
      how()
    }
    socket.on('data', (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      const answer = read(pending, head)
      if (answer) settle(() => resolve(answer))
    })
    socket.on('error', () => undefined)
    socket.on('close', () => settle(() => resolve(undefined)))
    socket.write(bytes)
  })
}

/** The answer that the bytes hold; undefined while it is not all there. */
function read(bytes: Buffer, headOnly: boolean): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(first.split(' ')[1])
  const rest = bytes.subarray(end + 4)
  if (status < 200) return read(rest, headOnly)
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  const found = new Map(headers)
  if (headOnly || status === 204 || status === 304) return { status, headers, body: Buffer.alloc(0) }
  const body = found.get('transfer-encoding') === 'chunked' ? unchunked(rest) : whole(rest, found)
  return body && { status, headers, body }
}

function whole(rest: Buffer, headers: Map<string, string>): Buffer | undefined {
  const length = Number(headers.get('content-length') ?? 0)
  return rest.length >= length ? rest.subarray(0, length) : undefined
}

function unchunked(rest: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const end = rest.indexOf('\r\n', at)
    if (end < 0) return undefined
    const size = Number.parseInt(rest.toString('latin1', at, end), 16)
    if (size === 0) return rest.length >= end + 4 ? Buffer.concat(parts) : undefined
    parts.push(rest.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}
