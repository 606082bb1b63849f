import { join } from 'node:path'
import { DIGITS, type Load, type LoadResult } from './load.ts'
import { demoHeaders, loadOk, type Server, startServer } from './processes.ts'
import type { Receiver } from './receiver.ts'
import { together, type Usage } from './usage.ts'

/** The gateway's program, as it was built. */
export const MAIN = join(import.meta.dirname, '../../../../packages/server/dist/main.js')

const JSX = join(import.meta.dirname, '../../../jsx.ts')

/** About 200 bytes, as a shop would send them. */
export const MESSAGE = {
  From: 'WIGWAG',
  To: '233241234567',
  Content: 'Your order 1042 is on its way and will be with you between nine and eleven this morning.',
  Reference: 'order-1042-customer-77',
}

/**
 * The same to another recipient each time: an index by recipient costs little where all sends are to one. The last
 * digit keeps the simulator to phones that answer.
 */
export const BODY = JSON.stringify({ ...MESSAGE, To: `23324${DIGITS}7` })

/** A demo account that never runs out of money, and phones that answer soon. */
const RICH = { WIGWAG_DEMO_BALANCE: '9000000', WIGWAG_SIMULATOR_DELAY_MS: '100' }

/** As `npm start`, the unit of systemd and the image start it. */
export const AS_SHIPPED = { NODE_OPTIONS: '--max-semi-space-size=8' }

export function startGateway(
  folder: string,
  env: Record<string, string> = {},
  program = MAIN,
): Promise<Server> {
  // Node runs pages from their sources with this alone.
  const [script, ...before] = program.endsWith('.ts') ? ['--import', JSX, program] : [program]
  return startServer(script, [...before, 'serve', '--port', '0'], { ...RICH, ...AS_SHIPPED, ...env }, folder)
}

/** A carrier over SMPP that prints nothing. */
export function startCarrier(folder: string, flags: readonly string[]): Promise<Server> {
  return startServer(MAIN, ['smsc', '--port', '0', '--quiet', ...flags], {}, folder)
}

/** A carrier over SMPP whose receipts take 100 ms, as those of the simulator do. */
export function startFlowCarrier(folder: string): Promise<Server> {
  return startCarrier(folder, ['--delay', '100'])
}

/** Over one bind, receipts come in lock-step with their acknowledgements, and fewer messages become final. */
const SMPP = 'window=100&binds=4'

/** The setting of a gateway that sends by a carrier over SMPP. Receipts come to all that have a name there. */
export function sendingBy(
  { port }: Pick<Server, 'port'>,
  { name = 'bench', query = SMPP } = {},
): { WIGWAG_CARRIER: string } {
  return { WIGWAG_CARRIER: `smpp://${name}:secret@127.0.0.1:${port}?${query}` }
}

/** A gateway, or several on one database, of which each is sent to by its own connections. */
export interface Target extends Usage, Pick<Server, 'said' | 'stop'> {
  port: Load['port']
}

/** Gateways on one database. */
export interface Gateways extends Target {
  port: readonly number[]
  pids: readonly number[]
}

export async function startGateways(
  folder: string,
  count: number,
  env: Record<string, string>,
): Promise<Gateways> {
  const gateways: Server[] = []
  // One after the other, since the first makes the demo account.
  for (let n = 0; n < count; n++) gateways.push(await startGateway(folder, env))
  return {
    ...together(gateways),
    port: gateways.map(({ port }) => port),
    pids: gateways.map(({ pid }) => pid),
    said: gateways[0]?.said ?? '',
    stop: async () => void (await Promise.all(gateways.map(({ stop }) => stop()))),
  }
}

/** Sends of single messages, which ask for callbacks where there is a receiver. */
export function sends(
  server: Pick<Target, 'port' | 'said'>,
  callers: Load['callers'] = [demoHeaders(server)],
  receiver?: Pick<Receiver, 'url'>,
) {
  const body = receiver ? JSON.stringify({ ...JSON.parse(BODY), CallbackUrl: receiver.url }) : BODY
  return { port: server.port, path: '/v1/messages/sms', callers, body }
}

/** Sends without rest. */
export function loadSends(
  server: Pick<Target, 'port' | 'said'>,
  connections: number,
  seconds: number,
  callers?: Load['callers'],
  receiver?: Receiver,
): Promise<LoadResult> {
  return loadOk({ ...sends(server, callers, receiver), connections, seconds })
}

export const BULK = '/v1/messages/sms/bulk/otm'

export function bulkOf(size: number, more: { CallbackUrl?: string } = {}): string {
  return JSON.stringify({
    From: 'WIGWAG',
    Content: 'The shop opens at nine tomorrow.',
    Recipients: Array.from({ length: size }, (_, index) => ({
      To: String(233_240_000_000 + index * 7 + 10),
      Reference: `c-${index}`,
    })),
    ...more,
  })
}

/** Has all of a bulk accepted. */
export async function sendBulk(
  { port }: { port: number },
  caller: Record<string, string>,
  body: string,
): Promise<void> {
  const headers = { ...caller, 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}${BULK}`, { method: 'POST', headers, body })
  if (response.status !== 200) throw new Error(`expected the bulk to be accepted, got ${response.status}`)
  await response.body?.cancel()
}

/** How many messages have become final so far. */
export function finals(server: Pick<Target, 'port'>): Promise<number> {
  return counted(server, /^wigwag_messages_final_total\{.*\} (\d+)$/gm)
}

/** Waits until every accepted message is final and, where there is a receiver of all of them, told. */
export async function untilIdle(server: Pick<Target, 'port'>, receiver?: Receiver): Promise<void> {
  const accepted = await counted(server, /^wigwag_messages_accepted_total (\d+)$/gm)
  const deadline = performance.now() + LONGEST_BACKLOG_MS
  for (;;) {
    const [ended, told] = [await finals(server), (await receiver?.counted())?.told ?? accepted]
    if (ended >= accepted && told >= accepted) return
    if (performance.now() > deadline)
      throw new Error(`expected ${accepted} messages to end, ${ended} are final and ${told} told`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
const LONGEST_BACKLOG_MS = 900_000

async function counted({ port }: Pick<Target, 'port'>, line: RegExp): Promise<number> {
  const pages = [port].flat().map(async (one) => (await fetch(`http://127.0.0.1:${one}/metrics`)).text())
  const text = (await Promise.all(pages)).join('\n')
  return [...text.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0)
}
