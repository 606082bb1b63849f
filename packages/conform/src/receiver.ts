import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface ReceivedCallback {
  method: string
  headers: Readonly<Record<string, string>>
  body: Buffer
  /** The body, if it is JSON; else undefined. */
  json: unknown
}

/** Takes callbacks, those of each send at another path. */
export interface Receiver {
  /** The address to give to the send with this name. */
  urlFor(name: string): string
  /** The callbacks so far for the send with this name. */
  received(name: string): readonly ReceivedCallback[]
  close(): void
}

export interface ReceiverOptions {
  host: string
  port: number
  /** The address by which the server reaches this receiver, if it is another one. */
  publicUrl: string | undefined
  /** Text that a stranger can't guess. */
  run: string
}

export async function openReceiver({ host, port, publicUrl, run }: ReceiverOptions): Promise<Receiver> {
  const byName = new Map<string, ReceivedCallback[]>()
  const server = createServer(async (request, response) => {
    const { url = '', method = '' } = request
    const name = url.split(`/${run}/`)[1]
    if (name === undefined) return void response.writeHead(404).end()
    const body = await buffer(request).catch(() => Buffer.alloc(0))
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([key, value]) => [key, String(value)]),
    )
    byName.set(name, [...(byName.get(name) ?? []), { method, headers, body, json: parsed(body) }])
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : port
  const base = (publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${bound}`).replace(/\/+$/, '')
  return {
    urlFor: (name) => `${base}/${run}/${name}`,
    received: (name) => byName.get(name) ?? [],
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
