/**
 * An embedded PostgreSQL in a process of its own: it says over the channel to its parent where it listens, and
 * when that channel closes it ends and leaves nothing behind. With `pair` there are two, the second a standby of the
 * first, and the parent may end and start either.
 */
import { rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FOR_DATABASES } from './for-databases.ts'
import { copyInstance, type End, type Instance, makeInstance } from './postgres.instance.ts'

/** A request of the parent: end the server of this number, or without `end` start it. */
export interface Ask {
  server: number
  end?: End
}

/** Measurements ask for a server that is as safe as it is by default. */
const durable = process.argv.includes('durable')
const countsStatements = process.argv.includes('statements')
/** Tests pull no plug, so nothing waits for a disk; locks and visibility are what they always are. */
const UNSAFE = ['fsync=off', 'full_page_writes=off', 'wal_keep_size=512MB']
const COUNTING = ['shared_preload_libraries=pg_stat_statements']

const servers: Instance[] = []

async function make(): Promise<void> {
  const settings = [...(durable ? [] : UNSAFE), ...(countsStatements ? COUNTING : [])]
  const first = await keep(makeInstance(durable ? tmpdir() : FOR_DATABASES, settings))
  if (!process.argv.includes('pair')) return
  // A copy made before the first start follows from the first record on, if none is thrown away.
  const { hostname, port, username, password } = new URL(first.url)
  const following = `primary_conninfo=host=${hostname} port=${port} user=${username} password=${password} application_name=standby`
  const second = await keep(
    copyInstance(first, [...settings, following, 'wal_retrieve_retry_interval=100ms']),
  )
  await writeFile(join(second.folder, 'standby.signal'), '')
}

async function keep(making: Promise<Instance>): Promise<Instance> {
  const instance = await making
  process.on('exit', () => rmSync(instance.folder, { recursive: true, force: true }))
  servers.push(instance)
  return instance
}

process.on('message', async ({ server, end }: Ask) => {
  try {
    await (end ? servers[server]?.end(end) : servers[server]?.start())
    process.send?.({ done: true })
  } catch (error) {
    process.send?.({ failed: String(error) })
  }
})
process.once('disconnect', async () => {
  await Promise.allSettled(servers.map((server) => server.finish()))
  process.exit(0)
})

try {
  await make()
  for (const server of servers) await server.start()
  const [url, standby] = servers.map((server) => server.url)
  process.send?.({ url, standby })
} catch (error) {
  const said = error instanceof Error ? error.message : 'it did not start'
  process.send?.({ failed: said }, () => process.exit(1))
}
