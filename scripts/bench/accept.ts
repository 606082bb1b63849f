import { median, type Row } from './row.ts'
import { loadEcho, loadSends, settled, startEcho, startGateway } from './subjects.ts'

const ROUNDS = 9
/** Shorter than the night shift gives way to many who send at once. */
const SECONDS = 1.5

/**
 * Durable accepts against the echo of the same body, taking turns. Before each turn the messages of the last one have
 * gone their whole way, or they would take their part of the echo's processor; what they cost is in `sustained`.
 */
export async function accept(folder: string): Promise<Row[]> {
  const echo = await startEcho(folder)
  const gateway = await startGateway(folder)
  const rows: Row[] = []
  await loadSends(gateway, 64, SECONDS)
  await loadEcho(echo, 64, SECONDS)
  for (const connections of [1, 32, 64, 128]) {
    const ratios: number[] = []
    const slowest: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await settled(gateway)
      const bare = await loadEcho(echo, connections, SECONDS)
      const sends = await loadSends(gateway, connections, SECONDS)
      ratios.push(sends.perSecond / bare.perSecond)
      slowest.push(sends.p99)
    }
    const goal = connections >= 64 ? '≥ 0.6' : ''
    rows.push({
      what: `accepts a second / echoes a second, ${connections} connections`,
      figure: median(ratios).toFixed(2),
      goal,
    })
    if (connections === 64)
      rows.push({
        what: 'p99 of an accept, 64 connections',
        figure: `${median(slowest).toFixed(1)} ms`,
        goal: '< 50 ms',
      })
  }
  await Promise.all([echo.stop(), gateway.stop()])
  return rows
}
