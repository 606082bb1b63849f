import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import pg from 'pg'
import { epochMs, firstTicketAt } from '../../../packages/server/src/kernel/ids.ts'
import { retentionTasks } from '../../../packages/server/src/operate/privacy/index.ts'
import { median, type Row } from '../report.ts'
import { type BenchDatabase, checkBooks, makeCaller, startEngines } from './rig/database.ts'
import { addMessages, withDatabase } from './rig/fill.ts'
import { sends, startGateway, untilIdle } from './rig/gateways.ts'
import type { LoadResult } from './rig/load.ts'
import { loadOk } from './rig/processes.ts'

const DAY_MS = 86_400_000
const MONTH_DAYS = 30
/** How many months are kept. */
const KEPT = 3
/** Far below what a gateway can take, so that its latencies are not those of a queue. */
const PACE = 100
const CONNECTIONS = 32
/** Housekeeping begins a minute after the start; before that, all is quiet. */
const WARM_SECONDS = 3
const QUIET_WINDOWS = 10
const WINDOW_SECONDS = 5

export interface RetentionOptions {
  /** How many messages are kept at any time. */
  rows: readonly number[]
  engines: readonly string[]
  /** How many months pass. */
  months: number
  /**
   * After how many minutes of forgetting it is known how that is felt. A month that is not forgotten then is the last.
   * With 0 no one sends, and a month is forgotten as fast as it can be: only sizes are measured.
   */
  feltFor: number
}

/** One month that passed: what was quiet, and what it was like while a month was forgotten. */
interface Month {
  quiet: LoadResult[]
  forgetting: LoadResult[]
  seconds: number
  /** The size afterwards; undefined when the month was not forgotten to its end. */
  size: Size | undefined
}

interface Size {
  megabytes: number
  messages: number
}

/**
 * Months pass, each with as many messages as the one that is forgotten in it. Time moves by the setting: each month the
 * gateway is started anew and keeps thirty days less. The ledger, which is kept for good, is left out of the sizes.
 */
export async function* retention(
  folder: string,
  { rows, engines, ...options }: RetentionOptions,
): AsyncGenerator<Row> {
  const databases = await startEngines(folder, engines)
  try {
    for (const engine of engines) {
      for (const size of rows) {
        const database = await databases.make(engine, `${engine}_retention_${size}`)
        yield* report(
          `${engine}, ${size.toLocaleString('en')} messages`,
          await pass(database, folder, size, options),
        )
      }
    }
  } finally {
    await databases.stop()
  }
}

async function pass(
  database: BenchDatabase,
  folder: string,
  size: number,
  { months, feltFor }: Pick<RetentionOptions, 'months' | 'feltFor'>,
): Promise<Month[]> {
  const caller = makeCaller(database.url, 'kept')
  const aMonth = Math.floor(size / KEPT)
  const start = Date.now() - ((KEPT + months) * MONTH_DAYS + 1) * DAY_MS
  const startOf = (month: number) => start + month * MONTH_DAYS * DAY_MS
  const add = (month: number) =>
    addMessages(database.url, 'kept', {
      size: aMonth,
      start: startOf(month),
      ms: MONTH_DAYS * DAY_MS,
      first: month * aMonth,
    })
  for (let month = 0; month < KEPT; month++) await add(month)
  const passed: Month[] = []
  for (let month = 0; month < months; month++) {
    await add(KEPT + month)
    const days = Math.round((Date.now() - startOf(month + 1)) / DAY_MS)
    const left = () => hasOlder(database.url, startOf(month + 1) - DAY_MS)
    const felt =
      feltFor === 0
        ? await forgetAtOnce(database.url, days)
        : await forgetBesideSends({ database, folder, caller, days, left, withinMs: feltFor * 60_000 })
    checkBooks(database.url)
    if (await left()) return [...passed, { ...felt, size: undefined }]
    await removeLoad(database.url, startOf(KEPT + months))
    await vacuum(database.url)
    passed.push({ ...felt, size: await sizeOf(database.url) })
  }
  return passed
}

type Felt = Omit<Month, 'size'>

/** The gateway's own slices, without its rests between them. */
function forgetAtOnce(url: string, days: number): Promise<Felt> {
  return withDatabase(url, async (database) => {
    const retain = { messagesMs: days * DAY_MS, callbacksMs: undefined, auditMs: undefined }
    const clock = { now: () => epochMs(Date.now()) }
    const from = performance.now()
    for (const step of retentionTasks({ database, clock }, retain)) while (await step()) await turn()
    return { quiet: [], forgetting: [], seconds: (performance.now() - from) / 1_000 }
  })
}

interface Forgetting {
  database: BenchDatabase
  folder: string
  caller: Record<string, string>
  days: number
  left(): Promise<boolean>
  withinMs: number
}

/** Sends at an even pace, first while nothing is forgotten, then until all is or time is up. */
async function forgetBesideSends(options: Forgetting): Promise<Felt> {
  const { database, folder, caller, days, left, withinMs } = options
  const gateway = await startGateway(folder, {
    WIGWAG_DATABASE_URL: database.url,
    WIGWAG_RETAIN_DAYS: String(days),
  })
  const load = (seconds: number) =>
    loadOk({ ...sends(gateway, [caller]), connections: CONNECTIONS, seconds, pace: PACE })
  const began = performance.now()
  await load(WARM_SECONDS)
  const quiet: LoadResult[] = []
  while (quiet.length < QUIET_WINDOWS) quiet.push(await load(WINDOW_SECONDS))
  await pause(Math.max(0, 60_000 - (performance.now() - began)))
  const from = performance.now()
  const forgetting: LoadResult[] = []
  do forgetting.push(await load(WINDOW_SECONDS))
  while ((await left()) && performance.now() - from < withinMs)
  const seconds = (performance.now() - from) / 1_000
  await untilIdle(gateway)
  await gateway.stop()
  return { quiet, forgetting, seconds }
}

function hasOlder(url: string, time: number): Promise<boolean> {
  return withDatabase(url, async (database) => {
    const rows = await database.read(({ run }) =>
      run('SELECT id FROM messages WHERE id < $1 ORDER BY id LIMIT 1', [firstTicketAt(epochMs(time))]),
    )
    return rows.length > 0
  })
}

/** Removes what the load sent: newer than the months to come, it would put these into the middle of every index. */
function removeLoad(url: string, since: number): Promise<void> {
  return withDatabase(url, async (database) => {
    const first = firstTicketAt(epochMs(since))
    await database.write(({ run }) => run('DELETE FROM messages WHERE id > $1', [first]))
  })
}

/** Does for PostgreSQL what autovacuum has a month for, once it has left the tables that it is at. */
async function vacuum(url: string): Promise<void> {
  if (!url.startsWith('postgres:')) return
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('VACUUM')
  await client.end()
}

/** The size of the database without its ledger, and the number of its messages. */
function sizeOf(url: string): Promise<Size> {
  return withDatabase(url, async (database) => {
    const [kept] = await database.read(({ run }) =>
      run<{ messages: number; bytes: number }>(SIZES[database.engine], []),
    )
    if (!kept) throw new Error('expected the size of the database, got nothing')
    return { megabytes: Number(kept.bytes) / 1e6, messages: kept.messages }
  })
}
const SIZES = {
  sqlite: `SELECT (SELECT count(*) FROM messages) AS messages,
    (SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name <> 'ledger')
      + (SELECT freelist_count FROM pragma_freelist_count) * (SELECT page_size FROM pragma_page_size) AS bytes`,
  postgres: `SELECT (SELECT count(*) FROM messages) AS messages,
    pg_database_size(current_database()) - pg_total_relation_size('ledger') AS bytes`,
}

function report(who: string, months: readonly Month[]): Row[] {
  const p99sOf = (windows: (month: Month) => LoadResult[]) =>
    months.flatMap((month) => windows(month).map(({ p99 }) => p99))
  const before = p99sOf((month) => month.quiet)
  const meanwhile = p99sOf((month) => month.forgetting)
  const rows = [
    ...sizes(
      who,
      months.flatMap(({ size }) => (size ? [size] : [])),
    ),
    {
      what: `${who}: seconds to forget a month, or as long as was waited, median`,
      figure: median(months.map(({ seconds }) => seconds)).toFixed(0),
      goal: '',
    },
  ]
  if (before.length === 0) return rows
  const [quiet, busy] = [median(before), median(meanwhile)]
  return [
    ...rows,
    {
      what: `  p99 of accepts at ${PACE} a second, quiet and while it forgets`,
      figure: `${quiet.toFixed(1)}, ${busy.toFixed(1)} ms`,
      goal: '',
    },
    {
      what: '  p99 while it forgets / quiet, medians of all windows',
      figure: (busy / quiet).toFixed(2),
      goal: '≤ 1.5',
    },
    {
      what: '  the worst window, quiet and while it forgets',
      figure: `${Math.max(...before).toFixed(1)}, ${Math.max(...meanwhile).toFixed(1)} ms`,
      goal: '',
    },
  ]
}

function sizes(who: string, months: readonly Size[]): Row[] {
  const each = months.map(({ megabytes, messages }) => (megabytes * 1e6) / messages)
  // The second month is the first that fills what another has freed.
  const [, second] = each
  const last = each.at(-1)
  if (second === undefined || last === undefined) return []
  return [
    {
      what: `${who}: MB after each month`,
      figure: months.map(({ megabytes }) => megabytes.toFixed(0)).join(' '),
      goal: '',
    },
    {
      what: '  bytes for each message kept',
      figure: each.map((bytes) => bytes.toFixed(0)).join(' '),
      goal: '',
    },
    { what: '  after the last month / after the second', figure: (last / second).toFixed(2), goal: '≤ 1.05' },
  ]
}
