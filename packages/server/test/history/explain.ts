import Sqlite from 'better-sqlite3'
import { drizzle as onPostgres } from 'drizzle-orm/node-postgres'
import type { Tx, Value } from '../../src/store/database.ts'
import { tables } from '../../src/store/schema/schema.ts'
import { sqliteQueries } from '../../src/store/sqlite/connection.ts'
import { connectTo } from '../support/postgres.ts'

/** Runs work on a connection of its own, and tells how the engine answers each of its statements. */
export interface Explainer {
  plansOf(work: (tx: Tx) => Promise<unknown>): Promise<string[]>
  close(): Promise<void>
}

type Statement = [text: string, values: unknown[]]

function recorder() {
  const statements: Statement[] = []
  const logger = { logQuery: (text: string, values: unknown[]) => void statements.push([text, values]) }
  const locks = { forUpdate: '', skipLocked: '' } as const
  return { statements, logger, differences: { locks } }
}

const plain = (text: string) => text.replace(/\$\d+/g, '?')

/** A connection that is opened now goes by the statistics that the schema has fixed. */
function explainSqlite(path: string): Explainer {
  const client = new Sqlite(path, { readonly: true })
  const { statements, logger, differences } = recorder()
  const tx: Tx = {
    db: sqliteQueries(client, logger),
    t: tables,
    ...differences,
    async run<Row extends object>(text: string, values: readonly Value[]): Promise<Row[]> {
      statements.push([text, [...values]])
      return client.prepare<unknown[], Row>(plain(text)).all(...values)
    },
  }
  return {
    async plansOf(work) {
      statements.length = 0
      await work(tx)
      return statements.map(([text, values]) => {
        const steps = client
          .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${plain(text)}`)
          .all(...values)
        return steps.map(({ detail }) => detail).join('\n')
      })
    },
    close: async () => void client.close(),
  }
}

async function explainPostgres(url: string): Promise<Explainer> {
  const client = await connectTo(url)
  await client.query('ANALYZE')
  const { statements, logger, differences } = recorder()
  const tx: Tx = {
    db: onPostgres(client, { casing: 'snake_case', logger }),
    t: tables,
    ...differences,
    async run<Row extends object>(text: string, values: readonly Value[]): Promise<Row[]> {
      statements.push([text, [...values]])
      return (await client.query<Row>(text, [...values])).rows
    },
  }
  return {
    async plansOf(work) {
      statements.length = 0
      await work(tx)
      const plans: string[] = []
      for (const [text, values] of statements) {
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
      }
      return plans
    },
    close: () => client.end(),
  }
}

export function openExplainer(url: string): Promise<Explainer> {
  return url.startsWith('file:')
    ? Promise.resolve(explainSqlite(url.slice('file:'.length)))
    : explainPostgres(url)
}
