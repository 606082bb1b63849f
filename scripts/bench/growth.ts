import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fill } from './fill.ts'
import { median, type Row } from './row.ts'
import { loadSends, startGateway } from './subjects.ts'

const ROUNDS = 5
const SECONDS = 3

/** What a message costs when a thousand, and when a million, are already there. */
export async function growth(folder: string): Promise<Row[]> {
  const sizes = [1_000, 1_000_000]
  const gateways = []
  for (const size of sizes) {
    const own = join(folder, String(size))
    await mkdir(own)
    await fill(join(own, 'wigwag.db'), size)
    gateways.push(await startGateway(own))
  }
  const ratios: number[] = []
  const [small, large] = gateways
  if (!small || !large) throw new Error('expected two gateways')
  for (let round = 0; round <= ROUNDS; round++) {
    const costs = []
    for (const gateway of [small, large]) {
      const cpu = gateway.cpuMs()
      const { requests } = await loadSends(gateway, 64, SECONDS)
      costs.push((gateway.cpuMs() - cpu) / requests)
    }
    const [few = 1, many = 0] = costs
    if (round > 0) ratios.push(many / few)
  }
  await Promise.all([small.stop(), large.stop()])
  return [
    {
      what: 'processor time a message, at 1,000,000 rows / at 1,000',
      figure: median(ratios).toFixed(2),
      goal: '< 1.5',
    },
  ]
}
