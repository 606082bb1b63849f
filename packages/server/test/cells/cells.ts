import { pino } from 'pino'
import { afterAll } from 'vitest'
import { cellName } from '../../src/accounts/index.ts'
import { loadConfig } from '../../src/config/config.ts'
import { type OperatorParts, openOperatorParts } from '../../src/gateway/operator-parts.ts'
import { type Cell, type MovedAccount, moveAccount } from '../../src/operate/cells/index.ts'
import type { MoveOfAccount } from '../../src/operate/cells/move-account.ts'
import type { Database } from '../../src/store/database.ts'
import { makePlace } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { type Front, openFront } from '../support/front.ts'
import { openKept } from '../support/kept.ts'
import { hurriedClock } from './hurried-clock.ts'

export const SECRET = 'the secret that both cells share!!!!!'

/** Of both cells. */
export const clock = hurriedClock()

/** Looks again and again, each time two seconds later: gateways remember for one who was let in. */
export const soon: typeof eventually = (what, look, ...more) =>
  eventually(
    what,
    () => {
      clock.hurry(2_000)
      return look()
    },
    ...more,
  )

/** Lets time go on until something has ended. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  await soon('it ends', () => isOver)
  return work
}

/** A database with its gateway, and the same database as a command opens it. */
export interface Served {
  url: string
  front: Front
  cell: Cell & OperatorParts
  close(): Promise<void>
}

async function openCell(name: string): Promise<Served> {
  const place = await makePlace('PostgreSQL')
  const front = await openFront(place.url, { cell: name, secret: SECRET }, { clock })
  const parts = await openOperatorParts(
    { ...loadConfig({ database: place.url }, {}, import.meta.dirname), secret: SECRET },
    {
      clock,
      openDatabase: openKept,
      log: pino({ level: 'silent' }),
      onFatal() {},
      acting: { actor: 'operator:ada' },
    },
  )
  const cell = { ...parts, name: await parts.database.read(cellName) }
  return {
    url: place.url,
    front,
    cell,
    async close() {
      await front.close()
      await parts.close()
      await place.remove()
    },
  }
}

/** Two for all tests of a file. */
export async function shareCells(): Promise<{ one: Served; two: Served }> {
  const [one, two] = [await openCell('one'), await openCell('two')]
  afterAll(() => Promise.all([one.close(), two.close()]))
  return { one, two }
}

/** Hooks of a test at the steps of a move, and options that it changes. */
export interface Hooks extends Partial<Pick<MoveOfAccount, 'cancelsScheduled' | 'onBegin' | 'onWait'>> {
  onStep?(what: 'rows copied' | 'rows compared'): Promise<void> | void
  /** Called when both sides were compared. */
  onCompared?(): void
}

/** Moves it with both calls: with the second it is gone where it was. */
export async function move(
  account: string,
  source: Cell,
  target: Cell,
  hooks?: Hooks,
): Promise<MovedAccount> {
  const moved = await letArrive(account, source, target, hooks)
  if (moved.state === 'arrived') await letArrive(account, source, target)
  return moved
}

export function letArrive(
  account: string,
  source: Cell,
  target: Cell,
  { onStep, onCompared, onWait = () => {}, ...hooks }: Hooks = {},
): Promise<MovedAccount> {
  const moving = moveAccount({
    account,
    source,
    target,
    askMs: 20,
    onWait,
    ...hooks,
    async startProgress(_, what) {
      await onStep?.(what)
      return {
        update() {},
        stop() {
          if (what === 'rows compared') onCompared?.()
        },
      }
    },
  })
  return inTime(moving)
}

/** A cell that does something before each write. */
export function beforeWrites(cell: Cell, work: () => Promise<void>): Cell {
  const database: Database = {
    ...cell.database,
    async write(...args) {
      await work()
      return cell.database.write(...args)
    },
  }
  return { ...cell, database }
}

/** A cell whose database breaks after so many writes. */
export function breaking(cell: Cell, writes: { left: number }): Cell {
  return beforeWrites(cell, async () => {
    if (writes.left-- <= 0) throw new Error('broken off')
  })
}

/** Notes of a cell on troubles that it has, such as an account that moves. */
const OF_THE_CELL = ['alerts', 'alert_events', 'mails']

/** The tables in which some row says one of these texts, but for what the cell notes of itself. */
export async function tablesWith(database: Database, texts: readonly string[]): Promise<string[]> {
  const names = await database.read(({ run }) =>
    run<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
      [],
    ),
  )
  const found: string[] = []
  for (const { name } of names) {
    if (OF_THE_CELL.includes(name)) continue
    const [row] = await database.read(({ run }) =>
      run(
        `SELECT 1 AS one FROM ${name} AS t WHERE EXISTS (
           SELECT 1 FROM json_array_elements_text($1) AS said WHERE strpos(CAST(t AS TEXT), said) > 0) LIMIT 1`,
        [JSON.stringify(texts)],
      ),
    )
    if (row) found.push(name)
  }
  return found
}
