import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { End } from './postgres.instance.ts'
import type { Ask } from './postgres.server.ts'

/** A PostgreSQL in a separate process, which ends it when this one is gone, however it went. */
export interface ForkedPostgres {
  url: string
  stop(): Promise<void>
}

/** A server, and a standby that follows it. The first is `0`. */
export interface PostgresPair extends ForkedPostgres {
  standby: string
  end(server: 0 | 1, how: End): Promise<void>
  start(server: 0 | 1): Promise<void>
}

export async function forkPostgres(): Promise<ForkedPostgres> {
  return startProcess([])
}

/** Two servers of the caller's own: they may be ended and started, which the run's shared one may not. */
export async function forkPostgresPair(): Promise<PostgresPair> {
  const { standby, ask, ...first } = await startProcess(['pair'])
  if (standby === undefined) throw new Error('no standby was started')
  return {
    ...first,
    standby,
    end: (server, how) => ask({ server, end: how }),
    start: (server) => ask({ server }),
  }
}

async function startProcess(args: readonly string[]) {
  const child = fork(new URL('./postgres.server.ts', import.meta.url), args, { detached: true, execArgv: [] })
  const ended = once(child, 'exit')
  const next = async (): Promise<unknown> => {
    const [said] = await Promise.race([once(child, 'message'), ended.then(() => [undefined])])
    return said
  }
  const started = await next()
  if (!isStarted(started)) throw new Error(`no PostgreSQL for the tests: ${reasonOf(started)}\n${WHAT_TO_DO}`)
  return {
    url: started.url,
    standby: started.standby,
    async ask(wanted: Ask) {
      const answer = next()
      child.send(wanted)
      const said = await answer
      if (said === undefined || isFailed(said)) throw new Error(`PostgreSQL: ${reasonOf(said)}`)
    },
    async stop() {
      child.disconnect()
      await ended
    },
  }
}

const WHAT_TO_DO =
  'Install what package.json names (npm ci, with optional dependencies and their install scripts), or set ' +
  'TEST_POSTGRES_URL to a server where the tests may create databases, such as ' +
  'postgres://postgres:password@127.0.0.1:5432/postgres'

function isStarted(said: unknown): said is { url: string; standby?: string } {
  return typeof said === 'object' && said !== null && 'url' in said
}

function isFailed(said: unknown): said is { failed: unknown } {
  return typeof said === 'object' && said !== null && 'failed' in said
}

function reasonOf(said: unknown): string {
  return isFailed(said) ? String(said.failed) : 'the process that runs it ended'
}
