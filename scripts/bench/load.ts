/**
 * A load generator in a process of its own, so that it takes nothing from the server but its other core. Raw
 * sockets with one prepared request: a client library would be slower than what it measures.
 *
 *   echo '{"port":8080,"connections":64,"seconds":5,"path":"/","callers":[{}],"body":"{}"}' | node load.ts
 */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Load {
  port: number
  connections: number
  seconds: number
  path: string
  /** The headers of each caller; connections take turns in being theirs. */
  callers: readonly Record<string, string>[]
  body: string
}

export interface LoadResult {
  requests: number
  perSecond: number
  p50: number
  p99: number
  /** Answers in each whole second, in order. */
  bySecond: number[]
  statuses: Record<string, number>
}

const HEAD_END = Buffer.from('\r\n\r\n')

export async function generate(load: Load): Promise<LoadResult> {
  const requests = load.callers.map((headers) =>
    Buffer.from(
      [
        `POST ${load.path} HTTP/1.1`,
        'host: 127.0.0.1',
        `content-length: ${Buffer.byteLength(load.body)}`,
        ...Object.entries({ 'content-type': 'application/json', ...headers }).map(
          ([name, value]) => `${name}: ${value}`,
        ),
        '',
        load.body,
      ].join('\r\n'),
    ),
  )
  const latencies: number[] = []
  const statuses: Record<string, number> = {}
  const bySecond = Array.from({ length: load.seconds }, () => 0)
  const started = performance.now()
  const until = started + load.seconds * 1_000

  function converse(request: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(load.port, '127.0.0.1')
      let pending = Buffer.alloc(0)
      let sentAt = 0
      const send = () => {
        if (performance.now() >= until) return socket.end()
        sentAt = performance.now()
        socket.write(request)
      }
      socket.setNoDelay(true)
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('close', () => resolve())
      socket.on('data', (chunk) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        const end = responseEnd(pending)
        if (end === undefined) return
        const now = performance.now()
        latencies.push(now - sentAt)
        const second = Math.floor((now - started) / 1_000)
        if (second < bySecond.length) bySecond[second] = (bySecond[second] ?? 0) + 1
        const status = pending.toString('latin1', 9, 12)
        statuses[status] = (statuses[status] ?? 0) + 1
        pending = pending.subarray(end)
        send()
      })
    })
  }

  const [first] = requests
  if (!first) throw new RangeError('expected a caller, got none')
  const callerOf = (connection: number) => requests[connection % requests.length] ?? first
  await Promise.all(Array.from({ length: load.connections }, (_, index) => converse(callerOf(index))))
  const seconds = (performance.now() - started) / 1_000
  latencies.sort((a, b) => a - b)
  const quantile = (q: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50: quantile(0.5),
    p99: quantile(0.99),
    bySecond,
    statuses,
  }
}

/** Where the first response ends; undefined while it is not all there. */
function responseEnd(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const end = headEnd + HEAD_END.length + length
  return bytes.length >= end ? end : undefined
}

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await generate(JSON.parse(await text(process.stdin)))))
}
