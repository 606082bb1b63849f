import { setTimeout as pause } from 'node:timers/promises'
import type { Row } from '../report.ts'
import { follow, rowsOf } from './isolation/journeys.ts'
import { type BenchDatabase, makeCaller, makeCallers } from './rig/database.ts'
import { multiplyWaiting } from './rig/fill.ts'
import { bulkOf, finals, sendBulk, sendingBy, startFlowCarrier, startGateway } from './rig/gateways.ts'

/** Messages a second that the carrier takes: a turn of all wallets takes it most of a minute. */
const TPS = 20
const OTHERS = 999
const EACH = 20
const FIRST = 10_000
const SECONDS = 10

/** How soon a wallet with nothing waiting is served, beside one with most of a backlog and many with a little. */
export async function claims(
  folder: string,
  database: BenchDatabase,
  { engine, size }: { engine: string; size: number },
): Promise<Row[]> {
  const { url } = database
  const carrier = await startFlowCarrier(folder)
  const start = (query?: string) =>
    startGateway(folder, {
      WIGWAG_DATABASE_URL: url,
      ...sendingBy(carrier, query === undefined ? {} : { query }),
    })
  const [busy, measured] = [makeCaller(url, 'busy'), makeCaller(url, 'measured')]
  const filled = await start('tps=1')
  await sendBulk(filled, busy, bulkOf(FIRST))
  for (const caller of await makeCallers(url, OTHERS)) await sendBulk(filled, caller, bulkOf(EACH))
  await filled.stop()
  await multiplyWaiting(url, 'busy', size / FIRST)

  const paced = await start(`tps=${TPS}`)
  const journeys = await follow({ gateway: paced, database, measured })
  await paced.stop()
  const unpaced = await start()
  await pause(SECONDS * 1_000)
  const ended = await finals(unpaced)
  await unpaced.stop()
  await carrier.stop()
  const waiting = `${size.toLocaleString('en')} jobs of one wallet and ${EACH} each of ${OTHERS}`
  return [
    ...rowsOf(`${engine}: ${waiting} at ${TPS} a second`, { beside: journeys, mostMs: 1_000 }),
    {
      what: '  final a second of that backlog without a pace',
      figure: (ended / SECONDS).toFixed(0),
      goal: '',
    },
  ]
}
