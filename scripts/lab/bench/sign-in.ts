import { join } from 'node:path'
import { median, type Row } from '../report.ts'
import { loadSends, startGateway, untilIdle } from './rig/gateways.ts'
import type { LoadResult } from './rig/load.ts'
import type { Server } from './rig/processes.ts'

/** A gateway whose portal can be flooded. */
export const FLOODED = join(import.meta.dirname, 'flooded.ts')
const ROUNDS = 6
/** Shorter than the time for which password checks yield to a burst of sends. */
const SECONDS = 1.5

/** Measures how much 200 people who sign in without rest slow down accepts of the same gateway. */
export async function signIn(folder: string): Promise<Row[]> {
  const gateway = await startGateway(folder, {}, FLOODED)
  await loadSends(gateway, 64, SECONDS)
  const rows: Row[] = []
  for (const connections of [1, 64]) rows.push(...(await compare(gateway, connections)))
  await gateway.stop()
  return rows
}

async function compare(gateway: Server, connections: number): Promise<Row[]> {
  const quiet: LoadResult[] = []
  const flooded: LoadResult[] = []
  const checked: number[] = []

  async function alone(): Promise<void> {
    await untilIdle(gateway)
    quiet.push(await loadSends(gateway, connections, SECONDS))
  }
  async function beside(): Promise<void> {
    await untilIdle(gateway)
    await flood(gateway, 'POST')
    flooded.push(await loadSends(gateway, connections, SECONDS))
    const counts = (await (await flood(gateway, 'DELETE')).json()) as { checked: number; busy: number }
    if (counts.busy === 0) throw new Error('expected so many sign-ins that some are turned away')
    checked.push(counts.checked / SECONDS)
  }
  for (let round = 0; round < ROUNDS; round++) {
    // Each is the first of its round as often as the other.
    for (const turn of round % 2 === 0 ? [alone, beside] : [beside, alone]) await turn()
  }
  const side = (results: LoadResult[], of: 'perSecond' | 'p99', digits: number) =>
    median(results.map((result) => result[of])).toFixed(digits)
  const ratios = flooded.map(({ perSecond }, round) => perSecond / (quiet[round]?.perSecond ?? 0))
  const where = `${connections} connection${connections === 1 ? '' : 's'}`
  return [
    {
      what: `accepts a second beside 200 who sign in / with nobody, ${where}`,
      figure: median(ratios).toFixed(2),
      goal: '≥ 0.8',
    },
    {
      what: '  accepts a second: with nobody | beside them',
      figure: `${side(quiet, 'perSecond', 0)} | ${side(flooded, 'perSecond', 0)}`,
      goal: '',
    },
    {
      what: '  p99 of an accept, in ms: with nobody | beside them',
      figure: `${side(quiet, 'p99', 1)} | ${side(flooded, 'p99', 1)}`,
      goal: connections === 64 ? '< 50 ms' : '',
    },
    { what: '  passwords checked a second', figure: median(checked).toFixed(1), goal: '' },
  ]
}

export function flood({ port }: Server, method: 'POST' | 'DELETE'): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/flood`, { method })
}
