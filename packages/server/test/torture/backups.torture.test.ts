import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { brokenEntries, unevenWallets } from '../../src/money/ledger-check.ts'
import { runProcess } from '../cli/process.ts'
import { temporaryFolder } from '../cli/program.ts'
import { isHandedOver, lookAtOnce } from '../process/outcome.ts'
import { startServer } from '../process/server.ts'
import { checkBooks, checkStandings, endLeases, endValidity, settled } from '../support/books.ts'
import { open } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { atLength, checkFigures } from '../support/figures.ts'
import { BALANCE, call, openFront } from '../support/front.ts'
import { runLoad } from '../support/load.ts'

const BACKUPS = atLength({ short: 2, full: 25 })
const TIME = atLength({ short: 600_000, full: 1_800_000 })

const folder = temporaryFolder()

describe('a backup that is made while clients send', () => {
  it('holds all that was acknowledged before it, and is a gateway again', { timeout: TIME }, async () => {
    const file = join(folder, 'wigwag.db')
    const env = {
      WIGWAG_DATABASE_URL: `file:${file}`,
      WIGWAG_DEMO_BALANCE: '100000',
      WIGWAG_SIMULATOR_DELAY_MS: '30',
    }
    const server = await startServer({ folder, env })
    onTestFinished(server.kill)
    const { demo } = server
    if (!demo) throw new Error('the banner names no demo account')
    const load = runLoad({
      urls: () => [server.url],
      accounts: [demo],
      clients: 6,
      prefix: 'backup',
      restMs: 5,
    })
    const totals = { looked: 0, lost: 0, uneven: 0, later: 0 }
    for (let number = 0; number < BACKUPS; number++) {
      await pause(300)
      const before = [...load.acknowledged]
      const backup = join(folder, `backup-${number}.db`)
      const { code, stderr } = await runProcess(['backup', backup, '--database', env.WIGWAG_DATABASE_URL], {
        cwd: folder,
      })
      expect(code, stderr).toBe(0)
      totals.later += load.acknowledged.length - before.length
      const restored = join(folder, `restored-${number}`)
      await mkdir(restored)
      await copyFile(backup, join(restored, 'wigwag.db'))
      await copyFile(`${file}.secret`, join(restored, 'wigwag.db.secret'))
      const found = await lookInto(`file:${join(restored, 'wigwag.db')}`, before, demo)
      totals.looked += before.length
      totals.lost += found.lost
      totals.uneven += found.uneven
    }
    await load.stop()
    checkFigures('backups of SQLite under load, restored', {
      backups: BACKUPS,
      'messages looked for': [totals.looked, { atLeast: BACKUPS }],
      'messages accepted while backups were made': [totals.later, { atLeast: 1 }],
      'acknowledged messages that a backup lacks': [totals.lost, { is: 0 }],
      'wallets and ledger entries that do not add up': [totals.uneven, { is: 0 }],
    })
  })
})

/** Looks into a restored database as it is, and lets a gateway finish what waits in it. */
async function lookInto(
  url: string,
  tickets: readonly string[],
  account: AccountSecrets,
): Promise<{ lost: number; uneven: number }> {
  const database = open(url)
  const rows = await database.read(({ run }) => run<{ id: string }>('SELECT id FROM messages', []))
  const ids = new Set(rows.map(({ id }) => id))
  const uneven = await database.read(async (tx) => [
    ...(await unevenWallets(tx, 9)),
    ...(await brokenEntries(tx, 9)),
  ])
  await checkStandings(database)
  await endLeases(database)
  await database.close()
  const front = await openFront(url)
  try {
    expect((await call(front.url, account, { path: BALANCE })).status).toBe(200)
    const restored = front.gateway.database
    await eventually('all is handed over', () => isHandedOver(restored))
    await lookAtOnce(restored)
    await endValidity(restored)
    await settled(restored)
    await checkBooks(restored)
  } finally {
    await front.close()
  }
  return { lost: tickets.filter((ticket) => !ids.has(ticket)).length, uneven: uneven.length }
}
