import { createServer, type IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'

/** A span as it came over OTLP. */
export interface Span {
  service: string
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Record<string, string | number>
  failed: boolean
}

interface Wire {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: (Omit<Span, 'service' | 'attributes' | 'failed'> & {
        attributes: Attribute[]
        status: { code: number }
      })[]
    }[]
  }[]
}
interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number }
}

const read = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']))

/** Takes what is exported by OTLP over HTTP, as JSON. */
export async function openCollector() {
  const bodies: string[] = []
  const { url, requests } = await openReceiver({ onBody: (body) => bodies.push(body) })
  return {
    url,
    requests,
    text: () => bodies.join('\n'),
    spans: (): Span[] =>
      bodies
        .flatMap((body) => (JSON.parse(body) as Wire).resourceSpans)
        .flatMap(({ resource, scopeSpans }) =>
          scopeSpans
            .flatMap(({ spans }) => spans)
            .map(({ attributes, status, ...span }) => ({
              ...span,
              service: String(read(resource.attributes)['service.name']),
              attributes: read(attributes),
              failed: status.code === 2,
            })),
        ),
  }
}

interface ReceiverOptions {
  status?: number
  onBody?(body: string): void
}

/** A server that gives every request the same answer. */
export async function openReceiver({ status = 200, onBody }: ReceiverOptions = {}) {
  const requests: { path: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    requests.push({ path: request.url ?? '', headers: request.headers })
    onBody?.(Buffer.concat(chunks).toString('utf8'))
    response.writeHead(status).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, requests }
}
