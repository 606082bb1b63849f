import { deepStrictEqual as equal } from 'node:assert'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { checkBooks } from '../bench/rig/database.ts'
import { startGateway } from '../bench/rig/gateways.ts'
import { demoHeaders } from '../bench/rig/processes.ts'
import type { Check } from './check.ts'
import { startLoad } from './load.ts'
import { startPostgres } from './postgres.ts'

const DUMPS = 5
/** Messages that were under way have the claim of another gateway, which lasts; then the carrier is asked about them. */
const FINISHED_WITHIN_MS = 180_000

/** Backups by PostgreSQL's own programs while clients send, each restored and used. */
export async function dumps(folder: string, check: Check): Promise<void> {
  const server = await startPostgres(folder)
  const env = { WIGWAG_SECRET: 'the same secret for each restored database' }
  const start = (name: string) => startGateway(folder, { ...env, WIGWAG_DATABASE_URL: server.urlOf(name) })
  await server.createDatabase('sending')
  const gateway = await start('sending')
  try {
    await check(
      `hold all that was acknowledged before, and their books are equal: ${DUMPS} of them`,
      async () => {
        const load = startLoad(`http://127.0.0.1:${gateway.port}`, demoHeaders(gateway))
        const before: string[][] = []
        for (let nth = 0; nth < DUMPS; nth++) {
          await pause(500)
          before.push([...load.tickets])
          await server.dump('sending', join(folder, `${nth}.dump`))
        }
        const { sent, failed } = await load.stop()
        equal(failed, [])
        if (before.at(-1)?.length === sent)
          throw new Error('expected sends during the last dump, there were none')
        for (const [nth, tickets] of before.entries()) {
          const copy = `copy_${nth}`
          await server.createDatabase(copy)
          await server.restore(join(folder, `${nth}.dump`), copy)
          equal(await missing(server.urlOf(copy), tickets), [])
          checkBooks(server.urlOf(copy), env)
          const another = await start(copy)
          await finished(server.urlOf(copy)).finally(another.stop)
          checkBooks(server.urlOf(copy), env)
        }
        console.log(`          ${sent} sends, of which ${before.at(-1)?.length} before the last dump`)
      },
    )
  } finally {
    await gateway.stop()
    await server.stop()
  }
}

async function missing(url: string, tickets: readonly string[]): Promise<string[]> {
  const rows = await query<{ id: string }>(url, 'SELECT id FROM messages')
  const found = new Set(rows.map(({ id }) => id))
  return tickets.filter((ticket) => !found.has(ticket))
}

async function finished(url: string): Promise<void> {
  const deadline = performance.now() + FINISHED_WITHIN_MS
  while ((await query(url, 'SELECT 1 FROM outbox LIMIT 1')).length > 0) {
    if (performance.now() > deadline) throw new Error('expected each message to become final, some did not')
    await pause(200)
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<Row>(text)
  await client.end()
  return rows
}
