import { newestOf, stepNamed } from '../../../src/store/schema/steps.ts'
import { type Step, statementsOf } from '../../../src/store/schema/take-step.ts'

/**
 * Tables that grow with every message. A statement that reads one from end to end would hold sends up, so a step has
 * none: the next version fills what it added as it goes, or in slices, as housekeeping does.
 */
export const GROWING: readonly string[] = [
  'messages',
  'outbox',
  'ledger',
  'ledger_references',
  'carrier_refs',
  'late_receipts',
  'traces',
  'callbacks',
  'callback_attempts',
  'idempotency',
  'connector_sends',
  'hourly_totals',
  'audit',
]

/** Tables and columns that earlier statements of the step added. */
interface Added {
  tables: string[]
  /** As `table.column`. */
  columns: string[]
}

const LITERAL = /^(-?\d+|'[^']*'|NULL)$/i
const CREATE_TABLE = /^CREATE TABLE (\w+) \(/
const CREATE_INDEX = /^CREATE INDEX \w+ ON (\w+) /
const CREATE_UNIQUE_INDEX = /^CREATE UNIQUE INDEX \w+ ON (\w+) /
const ADD_COLUMN =
  /^ALTER TABLE (\w+) ADD COLUMN (\w+) (?:TEXT|BIGINT)( NOT NULL)?(?: DEFAULT (\S+))?(?: CHECK \((\w+) .+\))?$/
const FILL_TABLE = /^INSERT INTO (\w+) /
const FILL_COLUMNS = /^UPDATE (\w+) SET (.+?)(?: WHERE .+)?$/
const DROP = /^(?:DROP (?:TABLE|INDEX) \w+|ALTER TABLE \w+ DROP COLUMN \w+)$/
const CHANGE_ROWS = /^(?:DELETE FROM|UPDATE) (\w+)\b/

/** The faults of a version's steps, each as a sentence. Steps before the first release may be anything. */
export function faultsOf(steps: readonly Step[]): string[] {
  const known = steps.map(({ name }) => name)
  return steps.flatMap((step, index) => [...faultsOfName(step.name, index + 1, known), ...faultsOfText(step)])
}

function faultsOfName(name: string, expected: number, known: readonly string[]): string[] {
  const step = stepNamed(name)
  if (!step)
    return [`${name}: expected NNNN_widen_WHAT.sql, NNNN_index_WHAT.sql or NNNN_narrow_after_NNNN_WHAT.sql`]
  if (step.number !== expected) return [`${name}: expected the number ${expected}, one more than before it`]
  const isEarlier = step.after > 0 && step.after < step.number && step.after <= newestOf(known)
  if (step.kind === 'narrow' && !isEarlier)
    return [`${name}: expected after_ to name the earlier step with which versions stopped to use what goes`]
  return []
}

function faultsOfText({ name, text }: Step): string[] {
  const kind = stepNamed(name)?.kind
  if (kind === undefined || kind === 'first') return []
  const statements = statementsOf(text, 'sqlite').map((statement) => statement.replace(/\s+/g, ' '))
  const say = (statement: string, fault: string) => `${name}: ${fault}: ${statement}`
  if (kind === 'index' && statements.length !== 1) return [`${name}: expected one CREATE INDEX`]
  const added: Added = { tables: [], columns: [] }
  return statements.flatMap((statement) => {
    const fault = { widen: widens, index: makesAnIndex, narrow: narrows }[kind](statement, added)
    return fault === undefined ? [] : [say(statement, fault)]
  })
}

/** Why a statement of a widen step could disturb a version that does not know it; undefined if it can't. */
function widens(statement: string, added: Added): string | undefined {
  const isOurs = (table = '') => added.tables.includes(table)
  const [, created] = CREATE_TABLE.exec(statement) ?? []
  if (created !== undefined) {
    added.tables.push(created)
    return referencesOther(statement, isOurs)
  }
  const [, indexed] = CREATE_INDEX.exec(statement) ?? []
  if (indexed !== undefined) return GROWING.includes(indexed) ? 'an index step makes it' : undefined
  const [, unique] = CREATE_UNIQUE_INDEX.exec(statement) ?? []
  if (unique !== undefined)
    return isOurs(unique) ? undefined : 'older versions may write what it refuses: narrow a version later'
  if (ADD_COLUMN.test(statement)) return addsColumn(statement, added)
  const [, filled] = FILL_TABLE.exec(statement) ?? []
  if (filled !== undefined && isOurs(filled)) return readsGrowing(statement)
  const [, updated, assigned = ''] = FILL_COLUMNS.exec(statement) ?? []
  if (updated !== undefined) {
    const columns = [...assigned.matchAll(/(\w+) = /g)].map(([, column]) => `${updated}.${column}`)
    const areOurs = columns.length > 0 && columns.every((column) => added.columns.includes(column))
    return areOurs ? readsGrowing(statement) : 'a widen step may fill what it added, and nothing else'
  }
  return 'a widen step only adds tables, indexes and columns, and fills them'
}

function addsColumn(statement: string, added: Added): string | undefined {
  const [, table = '', column = '', notNull, value, checked] = ADD_COLUMN.exec(statement) ?? []
  added.columns.push(`${table}.${column}`)
  if (value !== undefined && !LITERAL.test(value)) return 'expected DEFAULT with a number or a text'
  if (notNull && (value === undefined || value.toUpperCase() === 'NULL'))
    return 'older versions leave it out: expected a DEFAULT'
  if (checked === undefined) return undefined
  if (checked !== column) return 'a CHECK of another column may refuse what older versions write'
  return GROWING.includes(table) ? 'a CHECK reads the table from end to end' : undefined
}

/** An older version deletes rows without knowing what refers to them. */
function referencesOther(statement: string, isOurs: (table?: string) => boolean): string | undefined {
  const others = [...statement.matchAll(/REFERENCES (\w+) ?\([^)]*\)( ON DELETE CASCADE)?/g)]
  const holding = others.find(([, table, cascades]) => !isOurs(table) && cascades === undefined)
  return holding && `older versions could not delete rows of ${holding[1]}: expected ON DELETE CASCADE`
}

function readsGrowing(statement: string): string | undefined {
  const read = GROWING.find((table) => new RegExp(`\\b${table}\\b`).test(statement))
  return read && `${read} grows with every message: fill it in slices, by the program`
}

function makesAnIndex(statement: string): string | undefined {
  return CREATE_INDEX.test(statement) ? undefined : 'expected one CREATE INDEX, not unique'
}

/** Why a statement of a narrow step takes long, or is none. */
function narrows(statement: string): string | undefined {
  if (DROP.test(statement)) return undefined
  const [, table] = CHANGE_ROWS.exec(statement) ?? CREATE_UNIQUE_INDEX.exec(statement) ?? []
  if (table === undefined) return 'a narrow step drops, deletes, updates or makes a unique index'
  return GROWING.includes(table) ? `${table} grows with every message` : undefined
}
