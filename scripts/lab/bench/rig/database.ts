import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { micros } from '@wigwag/contract'
import pg from 'pg'
import { loadConfig } from '../../../../packages/server/src/config/config.ts'
import { openOperatorParts } from '../../../../packages/server/src/gateway/operator-parts.ts'
import { systemClock } from '../../../../packages/server/src/kernel/process/clock.ts'
import { openLog } from '../../../../packages/server/src/kernel/process/log.ts'
import { MAIN } from './gateways.ts'
import { cpuOfFamily, familyOf } from './usage.ts'

/** Where a gateway keeps its data, and what that takes of the processor outside the gateway. */
export interface BenchDatabase {
  url: string
  cpuMs(): number
}

export interface Engines {
  /** A new, empty database of an engine that was asked for. */
  make(engine: string, name: string): Promise<BenchDatabase>
  /** The processes of PostgreSQL. */
  pids(): number[]
  stop(): Promise<void>
}

/**
 * SQLite in a folder, and a real PostgreSQL with the durability that it has by default, if it is asked for. Counts
 * PostgreSQL's statements where that is asked for: it costs the server a little.
 */
export async function startEngines(
  folder: string,
  engines: readonly string[],
  { statements = false } = {},
): Promise<Engines> {
  const unknown = engines.find((engine) => engine !== 'sqlite' && engine !== 'postgres')
  if (unknown !== undefined) throw new Error(`expected the engines sqlite or postgres, got ${unknown}`)
  const postgres = engines.includes('postgres') ? await startPostgres(statements) : undefined
  return {
    make: async (engine, name) =>
      postgres && engine === 'postgres' ? postgres.make(name) : sqliteIn(folder, name),
    pids: () => postgres?.pids() ?? [],
    stop: async () => postgres?.stop(),
  }
}

async function startPostgres(statements: boolean) {
  const script = new URL('../../../../packages/server/test/support/postgres.server.ts', import.meta.url)
  const server = fork(script, ['durable', ...(statements ? ['statements'] : [])], { execArgv: [] })
  const [said] = (await once(server, 'message')) as [{ url?: string; failed?: string }]
  const { url } = said
  if (!url || !server.pid)
    throw new Error(`no PostgreSQL to measure on: ${said.failed ?? 'it did not start'}`)
  const { pid } = server
  return {
    async make(name: string): Promise<BenchDatabase> {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      const own = new URL(url)
      own.pathname = `/${name}`
      return { url: own.href, cpuMs: () => cpuOfFamily(pid) }
    },
    pids: () => familyOf(pid),
    async stop() {
      const ended = once(server, 'exit')
      server.disconnect()
      await ended
    },
  }
}

/** SQLite runs in the gateway's process, so its processor time counts as the gateway's. */
function sqliteIn(folder: string, name: string): BenchDatabase {
  return { url: `file:${join(folder, `${name}.db`)}`, cpuMs: () => 0 }
}

/** Runs an operator's command on a database, and gives what it printed. */
export function operate(url: string, args: readonly string[], env: Record<string, string> = {}): unknown {
  const printed = execFileSync(process.execPath, [MAIN, ...args, '--database', url, '--json'], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return JSON.parse(printed)
}

/** Makes an account that never runs out of money, in a database that may be new, and gives the headers of its sends. */
export function makeCaller(url: string, name: string): Record<string, string> {
  operate(url, ['migrate'])
  const money = ['--balance', '9000000', '--sender', 'WIGWAG']
  const about = ['--name', name, '--email', `${name}@bench.example`, ...money]
  return headersOf(operate(url, ['account', 'create', ...about]) as CallerSecrets)
}

/** Makes many accounts with their wallets, in a database that is there. */
export async function makeCallers(url: string, count: number): Promise<Record<string, string>[]> {
  const config = loadConfig({ database: url }, process.env, process.cwd())
  const log = await openLog('silent', process.stderr)
  const onFatal = (error: Error) => {
    throw error
  }
  const parts = await openOperatorParts(config, {
    clock: systemClock,
    log,
    onFatal,
    acting: { actor: 'bench' },
  })
  try {
    const callers: Record<string, string>[] = []
    for (let index = 0; index < count; index++) {
      const name = `many${index}`
      const email = `${name}@bench.example`
      const money = { currency: 'GHS', balance: micros(9_000_000_000_000), senders: ['WIGWAG'] }
      callers.push(headersOf(await parts.operator.createAccount({ name, email, ...money })))
    }
    return callers
  } finally {
    await parts.close()
  }
}

function headersOf({ clientId, clientSecret, walletToken }: CallerSecrets): Record<string, string> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  return { authorization: `Basic ${basic}`, 'x-wallet': `Token ${walletToken}` }
}
type CallerSecrets = Record<'clientId' | 'clientSecret' | 'walletToken', string>

/** Throws unless every wallet, entry and job adds up. The doctor fails when one does not. */
export function checkBooks(url: string, env?: Record<string, string>): void {
  try {
    operate(url, ['doctor'], env)
  } catch (error) {
    throw new Error(`the doctor found: ${error instanceof Error && Reflect.get(error, 'stdout')}`)
  }
}
