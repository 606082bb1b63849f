import { getTableName } from 'drizzle-orm'
import type { Database, Tx } from '../../store/database.ts'
import { columnName, typesOf } from '../../store/rows.ts'
import { type Tables, tables } from '../../store/schema/schema.ts'
import { finishStep } from '../../store/slices.ts'
import {
  type Comparison,
  compareSides,
  countRows,
  insertSlice,
  type MovedTable,
  type Row,
  type StartProgress,
  slicesOf,
} from '../moving/index.ts'
import { CLASSES } from '../privacy/index.ts'
import type { Owner } from './cell.ts'
import type { Staying } from './people.ts'

/** Rows of a table that belong to an account. In the condition, $1 is the account, or each of its wallets. */
interface Going {
  of: 'account' | 'wallet'
  where: string
  /** By which columns they are walked through, where their index is not that of the table's key. */
  by?: readonly string[]
  /** The column with a person, whose address may be taken in the other cell. */
  person?: string
  /** Whether they are a person's, who may be in other accounts too. */
  shared?: true
  /** Columns that say when something was last used: gateways still note that for a moment. */
  uses?: readonly string[]
}

/** Whether a table's rows stay, end or go along when an account moves to another cell. */
type Belonging = 'stay' | 'end' | Going

const ofAccount: Going = { of: 'account', where: 'account_id = $1' }
const ofWallet: Going = { of: 'wallet', where: 'wallet_id = $1' }
const PEOPLE = 'SELECT person_id FROM memberships WHERE account_id = $1'
const ofPeople: Going = {
  of: 'account',
  where: `owner_kind = 'person' AND owner_id IN (${PEOPLE} AND ended_at = 0)`,
  person: 'owner_id',
  shared: true,
}

/** In the order in which rows are copied, so that each comes after what it refers to. A new table has to be decided on. */
const BELONGINGS: Readonly<Record<keyof Tables, Belonging>> = {
  accounts: { of: 'account', where: 'id = $1' },
  people: { of: 'account', where: `id IN (${PEOPLE})`, person: 'id', shared: true },
  memberships: { ...ofAccount, person: 'person_id' },
  personEvents: ofAccount,
  invitations: ofAccount,
  clients: { ...ofAccount, uses: ['tools_used_at'] },
  keys: { ...ofAccount, uses: ['used_at'] },
  keyAddresses: { ...ofAccount, uses: ['used_at', 'untold'] },
  wallets: ofAccount,
  ledger: ofWallet,
  ledgerReferences: ofWallet,
  walletWarnings: ofWallet,
  lowWalletEvents: ofWallet,
  alertChoices: ofAccount,
  accountAlerts: ofAccount,
  // Troubles of this cell, and its operator's mails.
  alerts: 'stay',
  alertEvents: 'stay',
  mails: 'stay',
  senderIds: ofAccount,
  rates: 'stay',
  rateLists: 'stay',
  settings: 'stay',
  messages: { ...ofWallet, by: ['created_at', 'id'] },
  hourlyTotals: ofWallet,
  // At rest it has none but of callbacks that wait for a later attempt, which the other cell posts by itself.
  outbox: 'stay',
  traces: 'stay',
  carrierRefs: 'stay',
  carrierTotals: 'stay',
  carrierDeliveries: 'stay',
  carrierPauses: 'stay',
  carrierReports: 'stay',
  lateReceipts: { of: 'wallet', where: 'message_id IN (SELECT id FROM messages WHERE wallet_id = $1)' },
  callbacks: ofWallet,
  callbackAttempts: { of: 'wallet', where: 'callback_id IN (SELECT id FROM callbacks WHERE wallet_id = $1)' },
  idempotency: { of: 'account', where: `starts_with(scope, $1 || '.')` },
  connectorSends: {
    of: 'account',
    where: `client_id IN (SELECT id FROM clients WHERE account_id = $1
      UNION ALL SELECT id FROM connections WHERE account_id = $1)`,
  },
  schedulers: 'stay',
  connectorDays: { of: 'account', where: 'client_id IN (SELECT id FROM clients WHERE account_id = $1)' },
  // The log of each cell keeps where it went from there.
  audit: { of: 'account', where: `account_id = $1 AND action <> 'account.leave'` },
  // Strangers cause them at any time.
  auditFailures: 'stay',
  // None are stored while it moves.
  refusals: ofAccount,
  // They have ended: an assistant is connected to the address of its cell.
  connections: { ...ofAccount, uses: ['last_used_at'] },
  delegatedTokens: 'stay',
  oauthRecords: 'stay',
  oauthKeys: 'stay',
  connectors: 'stay',
  portalSessions: 'end',
  signInAttempts: 'stay',
  operators: 'stay',
  operatorSessions: 'stay',
  passkeys: ofPeople,
  codeGenerators: ofPeople,
  recoveryCodes: ofPeople,
  oneTimeLinks: 'stay',
  challenges: 'stay',
  wrongCodes: 'stay',
}

/** A table, or what one wallet has in it. */
export interface OwnTable extends MovedTable, Pick<Going, 'person' | 'shared' | 'uses'> {}

/** The rows that go with an account, by table, in the order in which they are copied. */
export function belongingsOf({ accountId, walletIds }: Owner): OwnTable[] {
  const own: OwnTable[] = []
  for (const name of Object.keys(tables) as (keyof Tables)[]) {
    const going = BELONGINGS[name]
    if (typeof going === 'string') continue
    const { of, where, by, ...rest } = going
    for (const owner of of === 'account' ? [accountId] : walletIds)
      own.push({ ...tableOf(name, by), ...rest, where: { text: where, values: [owner] } })
  }
  return own
}

function tableOf(name: keyof Tables, by: readonly string[] | undefined): MovedTable {
  const keys = Object.keys(CLASSES[name].columns)
  const types = typesOf(tables[name], keys)
  return {
    name: getTableName(tables[name]),
    columns: keys.map((key, index) => ({ name: columnName(key), type: types[index] ?? 'TEXT' })),
    key: by ?? CLASSES[name].key.map(columnName),
  }
}

/** Copies what belongs to an account, and compares both sides. Rows that are there already from a copy before stay. */
export async function carry({
  source,
  target,
  accountId,
  tables,
  staying,
  startProgress,
}: {
  source: Database
  target: Database
  accountId: string
  tables: readonly OwnTable[]
  staying: Staying
  startProgress: StartProgress
}): Promise<Comparison> {
  let total = 0
  for (const table of tables) total += await countRows(source, table)
  const copying = await startProgress(total, 'rows copied')
  try {
    let done = 0
    for (const table of tables)
      for await (const rows of slicesOf(source, table)) {
        const theirs = rows.map((row) => asThere(row, table, staying)).filter((row) => row !== undefined)
        await target.write((tx) => insertSlice(tx, table, theirs, { orKeep: true }))
        done += rows.length
        copying.update(done)
      }
  } finally {
    copying.stop()
  }
  const comparing = await startProgress(total, 'rows compared')
  return compareSides({
    source,
    target,
    accountId,
    onRows: comparing.update,
    tables: tables.map((table) => ({
      ...table,
      columns: table.columns.filter(({ name }) => !table.uses?.includes(name)),
      moved: (row: Row) => asThere(row, table, staying),
    })),
  }).finally(comparing.stop)
}

/** A row as the other cell has it; undefined for one of a person whose address is taken there. */
function asThere(row: Row, { name, person }: OwnTable, { taken, ended }: Staying): Row | undefined {
  if (person === undefined) return row
  const id = String(row[person])
  if (taken.has(id)) return undefined
  return name === 'people' && ended.has(id) ? { ...row, password_hash: null } : row
}

/** Rows deleted in a transaction. */
const MOST_DELETED = 1_000

/** In the last transaction: what the others are found by. */
const LAST = new Set(['accounts', 'people', 'memberships', 'wallets'])

/**
 * Deletes an account and all that belongs to it, in slices, the account itself last: what was interrupted can be gone on
 * with. People who are in other accounts stay.
 */
export async function removeAccount({
  database,
  accountId,
  tables,
  clock,
  last,
}: {
  database: Database
  accountId: string
  tables: readonly OwnTable[]
  clock: Parameters<typeof finishStep>[1]
  /** Done in the transaction that deletes the account itself. */
  last?(tx: Tx): Promise<void>
}): Promise<void> {
  const first = tables.filter(({ name, shared }) => !LAST.has(name) && !shared).toReversed()
  for (const table of [...first.filter(isFoundByOthers), ...first.filter((table) => !isFoundByOthers(table))])
    await finishStep(() => database.write((tx) => removeSlice(tx, table), { patient: true }), clock)
  await database.write(async (tx) => {
    await removeLast(tx, accountId)
    await last?.(tx)
  })
}

/** Whether rows of other tables say that these are the account's. */
function isFoundByOthers({ where }: OwnTable): boolean {
  return where?.text.includes('SELECT') ?? false
}

async function removeSlice({ run }: Tx, { name, key, where }: OwnTable): Promise<boolean> {
  const columns = key.join(', ')
  const deleted = await run(
    `DELETE FROM ${name} WHERE (${columns}) IN (SELECT ${columns} FROM ${name} WHERE ${where?.text} LIMIT ${MOST_DELETED}) RETURNING 1 AS one`,
    where?.values ?? [],
  )
  return deleted.length === MOST_DELETED
}

async function removeLast({ run }: Tx, accountId: string): Promise<void> {
  const alone = await run<{ id: string }>(
    `SELECT person_id AS id FROM memberships m WHERE account_id = $1
       AND NOT EXISTS (SELECT 1 FROM memberships o WHERE o.person_id = m.person_id AND o.account_id <> m.account_id)`,
    [accountId],
  )
  const ids = JSON.stringify(alone.map(({ id }) => id))
  const among = 'IN (SELECT json_array_elements_text($1))'
  await run('DELETE FROM portal_sessions WHERE account_id = $1', [accountId])
  for (const factor of ['passkeys', 'code_generators', 'recovery_codes', 'one_time_links'])
    await run(`DELETE FROM ${factor} WHERE owner_kind = 'person' AND owner_id ${among}`, [ids])
  await run('DELETE FROM memberships WHERE account_id = $1', [accountId])
  await run(`DELETE FROM people WHERE id ${among}`, [ids])
  await run('DELETE FROM wallets WHERE account_id = $1', [accountId])
  await run('DELETE FROM accounts WHERE id = $1', [accountId])
}
