import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../report.ts'
import { checkBooks, makeCaller, startEngines } from './rig/database.ts'
import { chargeMessages, fillMessages } from './rig/fill.ts'
import { MAIN } from './rig/gateways.ts'

const MIB = 2 ** 20
const MINUTES_PER_MILLION = 5

/** How long it takes to move an SQLite file with so many messages and ledger entries to PostgreSQL, and to compare both. */
export async function* move(folder: string, { rows }: { rows: readonly number[] }): AsyncGenerator<Row> {
  const databases = await startEngines(folder, ['postgres'])
  try {
    for (const size of rows) {
      const file = join(folder, `move-${size}.db`)
      makeCaller(`file:${file}`, 'moved')
      await fillMessages(`file:${file}`, 'moved', size)
      await chargeMessages(`file:${file}`)
      checkBooks(`file:${file}`)
      const target = await databases.make('postgres', `move_${size}`)
      const began = performance.now()
      const args = ['move', '--from', `file:${file}`]
      const env = { ...process.env, WIGWAG_DATABASE_URL: target.url }
      execFileSync(process.execPath, [MAIN, ...args], { stdio: 'ignore', env })
      const minutes = (performance.now() - began) / 60_000
      const megabytes = Math.round(statSync(file).size / MIB).toLocaleString('en')
      yield {
        what: `move and compare ${size.toLocaleString('en')} messages (${megabytes} MiB)`,
        figure: `${minutes.toFixed(1)} min`,
        goal: `≤ ${((MINUTES_PER_MILLION * size) / 1_000_000).toFixed(1)} min`,
      }
    }
  } finally {
    await databases.stop()
  }
}
