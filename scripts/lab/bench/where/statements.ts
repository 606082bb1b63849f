import pg from 'pg'
import type { Table } from '../../report.ts'

/** How many statements are shown: those with the most time. */
const MOST = 12

interface Statement {
  query: string
  calls: number
  us: number
  rows: number
}

/** PostgreSQL's own counts of its statements. */
export interface Statements {
  forget(): Promise<void>
  /** The statements since `forget`, by the messages of that time. */
  table(messages: number): Promise<Table>
  close(): Promise<void>
}

/** Needs a server that loads `pg_stat_statements` at its start. */
export async function watchStatements(url: string): Promise<Statements> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('CREATE EXTENSION pg_stat_statements')
  return {
    forget: async () => void (await client.query('SELECT pg_stat_statements_reset()')),
    async table(messages) {
      const { rows } = await client.query<Statement>(
        `SELECT query, CAST(sum(calls) AS FLOAT8) AS calls, sum(total_exec_time) * 1000 AS us, CAST(sum(rows) AS FLOAT8) AS rows
         FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND query NOT LIKE '%pg_stat_statements%' GROUP BY query ORDER BY us DESC`,
      )
      return tableOf(rows, messages)
    },
    close: () => client.end(),
  }
}

function tableOf(statements: readonly Statement[], messages: number): Table {
  const all = statements.reduce((sum, { us }) => sum + us, 0)
  const line = (what: string, { calls, us, rows }: Omit<Statement, 'query'>) => [
    what,
    (us / messages).toFixed(1),
    `${((us / all) * 100).toFixed(0)} %`,
    (calls / messages).toFixed(3),
    (us / calls / 1_000).toFixed(2),
    (rows / calls).toFixed(1),
  ]
  const rest = statements.slice(MOST)
  return {
    title: 'postgres: statements, at the server',
    about: [
      'As pg_stat_statements counts them: time from the start of a statement to its end, waits for locks and for the disk included, so that sums can be more than processor time. Many messages share a call.',
    ],
    columns: ['statement', 'µs a message', 'share', 'calls a message', 'ms a call', 'rows a call'],
    lines: [
      ...statements.slice(0, MOST).map((statement) => line(nameOf(statement.query), statement)),
      ...(rest.length > 0 ? [line(`${rest.length} others`, sumOf(rest))] : []),
    ],
  }
}

function sumOf(statements: readonly Statement[]): Omit<Statement, 'query'> {
  const sum = (of: 'us' | 'calls' | 'rows') => statements.reduce((total, one) => total + one[of], 0)
  return { us: sum('us'), calls: sum('calls'), rows: sum('rows') }
}

/** The purpose of a statement, by words that no other statement has. */
const WORK: [RegExp, string][] = [
  [/INSERT INTO idempotency .*INSERT INTO messages/, 'accept'],
  [/DELETE FROM outbox .*INSERT INTO ledger/, 'finish'],
  [/UPDATE outbox SET lapsed/, 'claim'],
  [/(?:INTO|UPDATE|FROM) callback/, 'callbacks'],
]

/** A statement's purpose if known, then the tables that it changes, or else its beginning. */
function nameOf(query: string): string {
  const text = query.replaceAll(/\s+/g, ' ').trim()
  const [, work] = WORK.find(([words]) => words.test(text)) ?? []
  return `${work === undefined ? '' : `${work}: `}${whatItDoes(text)}`
}

function whatItDoes(text: string): string {
  const changes = [...text.matchAll(/\b(INSERT INTO|(?<!DO |NO KEY |FOR )UPDATE|DELETE FROM) "?(\w+)/gi)].map(
    ([, verb = '', table = '']) => `${verb.toLowerCase()} ${table}`,
  )
  return short(changes.length > 0 ? [...new Set(changes)].join(', ') : text)
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
