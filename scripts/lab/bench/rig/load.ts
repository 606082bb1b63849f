/**
 * A load generator in a process of its own, so that it takes nothing from the server but its other core. Raw
 * sockets with one prepared request: a client library would be slower than what it measures.
 *
 *   echo '{"port":8080,"connections":64,"seconds":5,"path":"/","callers":[{}],"body":"{}"}' | node load.ts
 */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Load {
  /** Where to. Connections take turns among several. */
  port: number | readonly number[]
  connections: number
  seconds: number
  path: string
  /** The headers of each caller; connections and their requests take turns in being theirs. */
  callers: readonly Record<string, string>[]
  /** The body to post; without it, the path is read. Each request replaces {@link DIGITS} by other digits. */
  body?: string
  /**
   * Requests a second in all. They come due whether earlier ones are answered or not, and the wait for a
   * connection counts as part of a request. Without a pace, each connection sends again once it has its
   * answer.
   */
  pace?: number
}

/** A place in a body for six digits, other ones in each request. */
export const DIGITS = '######'

export interface LoadResult extends Quantiles {
  requests: number
  perSecond: number
  /** Each whole second, in order. */
  bySecond: Second[]
  statuses: Record<string, number>
  /** When it began, as `Date.now()`. */
  startedAt: number
  /** Processor time of the load itself. */
  cpuMs: number
}

/** How long answers took, in milliseconds. */
export interface Quantiles {
  p50: number
  p95: number
  p99: number
}

export interface Second extends Quantiles {
  answers: number
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

export async function generate(load: Load): Promise<LoadResult> {
  const latencies: number[] = []
  const statuses: Record<string, number> = {}
  const bySecond = Array.from({ length: load.seconds }, (): number[] => [])
  const startedAt = Date.now()
  const started = performance.now()
  const until = started + load.seconds * 1_000
  let begun = 0
  const nextDue = () => {
    if (load.pace === undefined) return performance.now()
    return started + (begun++ * 1_000) / load.pace
  }

  function converse(port: number, first: number): Promise<void> {
    // Of its own: a request that has not left is not to change.
    const requests = load.callers.map((caller) => requestOf(load, caller))
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let pending = Buffer.alloc(0)
      let countedFrom = 0
      let sent = 0
      const send = (from: number) => {
        countedFrom = from
        const request = requests[(first + sent++ * load.connections) % requests.length] ?? Buffer.alloc(0)
        const digits = request.indexOf(DIGITS)
        if (digits >= 0) request.write(String(1_000_000 + Math.random() * 1_000_000).slice(1, 7), digits)
        socket.write(request)
      }
      const next = () => {
        const due = nextDue()
        if (due >= until) return socket.end()
        const early = due - performance.now()
        if (early <= 0) return send(due)
        // That a timer fires late is not the server's fault.
        setTimeout(() => send(performance.now()), early)
      }
      socket.setNoDelay(true)
      socket.on('connect', next)
      socket.on('error', reject)
      socket.on('close', () => resolve())
      socket.on('data', (chunk) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        const end = responseEnd(pending)
        if (end === undefined) return
        const now = performance.now()
        latencies.push(now - countedFrom)
        bySecond[Math.floor((now - started) / 1_000)]?.push(now - countedFrom)
        const status = pending.toString('latin1', 9, 12)
        statuses[status] = (statuses[status] ?? 0) + 1
        pending = pending.subarray(end)
        next()
      })
    })
  }

  const ports = [load.port].flat()
  await Promise.all(
    Array.from({ length: load.connections }, (_, index) =>
      converse(ports[index % ports.length] ?? 0, Math.floor(index / ports.length)),
    ),
  )
  return {
    requests: latencies.length,
    perSecond: latencies.length / ((performance.now() - started) / 1_000),
    ...quantiles(latencies),
    bySecond: bySecond.map((second) => ({ answers: second.length, ...quantiles(second) })),
    statuses,
    startedAt,
    cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1_000,
  }
}

function requestOf({ path, body }: Load, caller: Record<string, string>): Buffer {
  const posted = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body ?? '') }
  const headers = { host: '127.0.0.1', ...(body === undefined ? {} : posted), ...caller }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(
    [`${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n'),
  )
}

function quantiles(latencies: number[]): Quantiles {
  latencies.sort((a, b) => a - b)
  const quantile = (q: number) => latencies[Math.floor(latencies.length * q)] ?? 0
  return { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) }
}

/** Where the first response ends; undefined while it is not all there. */
function responseEnd(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  if (/transfer-encoding: *chunked/i.test(head)) {
    const last = bytes.indexOf(LAST_CHUNK, headEnd)
    return last < 0 ? undefined : last + LAST_CHUNK.length
  }
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const end = headEnd + HEAD_END.length + length
  return bytes.length >= end ? end : undefined
}

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await generate(JSON.parse(await text(process.stdin)))))
}
