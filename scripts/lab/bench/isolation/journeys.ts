import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openToRead } from '../../../../packages/server/src/store/open.ts'
import { median, type Row } from '../../report.ts'
import { MESSAGE } from '../rig/gateways.ts'
import type { Scene } from './troubles.ts'

const MESSAGES = 40
const EVERY_MS = 250
const LONGEST_MS = 60_000

/** How long one message took from its request, in milliseconds; infinitely long when it had not got there at the end. */
export interface Journey {
  /** Until its carrier had taken it. */
  taken: number
  final: number
  /** Until its receiver had its callback. */
  told: number
}

const STAGES = { taken: 'at the carrier', final: 'final', told: 'told of' }

/** Sends one message after the other, each with a callback, and follows them for a minute at most. */
export async function follow({
  gateway: { port },
  database: { url },
  measured: headers,
}: Pick<Scene, 'gateway' | 'database' | 'measured'>): Promise<Journey[]> {
  const toldAt = new Map<string, number>()
  const receiver = createServer((request, response) => {
    toldAt.set(request.url ?? '', Date.now())
    request.resume()
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port: receives } = receiver.address() as AddressInfo
  const sent: { ticket: string; sentAt: number; path: string }[] = []
  for (let index = 0; index < MESSAGES; index++) {
    const [sentAt, path] = [Date.now(), `/${index}`]
    const response = await fetch(`http://127.0.0.1:${port}/v1/messages/sms`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...MESSAGE, CallbackUrl: `http://127.0.0.1:${receives}${path}` }),
    })
    if (response.status !== 200) throw new Error(`expected 200, got ${response.status}`)
    const { Ticket: ticket } = (await response.json()) as { Ticket: string }
    sent.push({ ticket, sentAt, path })
    await pause(EVERY_MS)
  }
  for (const deadline = Date.now() + LONGEST_MS; toldAt.size < MESSAGES && Date.now() < deadline; )
    await pause(100)
  const rows = await storedOf(
    url,
    sent.map(({ ticket }) => ticket),
  )
  receiver.closeAllConnections()
  receiver.close()
  return sent.map(({ ticket, sentAt, path }) => {
    const { takenAt = 0, finalAt = 0 } = rows.get(ticket) ?? {}
    const since = (at = 0) => (at === 0 ? Number.POSITIVE_INFINITY : Math.max(0, at - sentAt))
    return { taken: since(takenAt), final: since(finalAt), told: since(toldAt.get(path)) }
  })
}

async function storedOf(url: string, tickets: readonly string[]) {
  const store = openToRead({ url, postgresConnections: 1, onIdleError: () => undefined })
  const rows = await store.read(({ run }) =>
    run<{ id: string; takenAt: number; finalAt: number }>(
      `SELECT id, submitted_at AS "takenAt", CASE status WHEN 'pending' THEN 0 ELSE effected_at END AS "finalAt"
       FROM messages WHERE id >= $1`,
      [tickets[0] ?? ''],
    ),
  )
  await store.close()
  return new Map(rows.map((row) => [row.id, row]))
}

/** How long messages took beside some trouble and, where that was looked at, without it. */
export function rowsOf(
  what: string,
  { alone, beside, mostMs }: { alone?: readonly Journey[]; beside: readonly Journey[]; mostMs: number },
): Row[] {
  return (['taken', 'final', 'told'] as const).map((stage) => {
    const shown = (journeys: readonly Journey[]) => {
      const times = journeys.map((journey) => journey[stage])
      return `${seconds(median(times))}, ${seconds(Math.max(...times))}`
    }
    return {
      what:
        stage === 'taken'
          ? `others' messages beside ${what}: ${STAGES.taken}, median and worst`
          : `  ${STAGES[stage]}`,
      figure: `${alone ? `${shown(alone)} → ` : ''}${shown(beside)} s`,
      goal: `≤ ${mostMs / 1_000} s`,
    }
  })
}

function seconds(ms: number): string {
  return Number.isFinite(ms) ? (ms / 1_000).toFixed(2) : `> ${LONGEST_MS / 1_000}`
}
