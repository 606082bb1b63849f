import { setTimeout as pause } from 'node:timers/promises'
import { median, type Row } from '../report.ts'
import { startGateway } from './rig/gateways.ts'

/** From the start of the process to its first answer, on a database that is already there, and what it holds idle. */
export async function start(folder: string): Promise<Row[]> {
  const first = await startGateway(folder)
  await first.stop()
  const times: number[] = []
  const resident: number[] = []
  for (let round = 0; round < 5; round++) {
    const began = performance.now()
    const gateway = await startGateway(folder)
    await fetch(`http://127.0.0.1:${gateway.port}/livez`)
    times.push(performance.now() - began)
    await pause(1_000)
    resident.push(gateway.residentMb())
    await gateway.stop()
  }
  return [
    { what: 'start to first answer, warm', figure: `${median(times).toFixed(0)} ms`, goal: '≤ 200 ms' },
    { what: 'resident memory, idle', figure: `${median(resident).toFixed(0)} MB`, goal: '≤ 100 MB' },
  ]
}
