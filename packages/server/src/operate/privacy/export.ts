import { type Micros, toDecimal } from '@wigwag/contract'
import { and, asc, eq, getTableColumns, inArray, type SQL, sql, type Table } from 'drizzle-orm'
import { clientsOf, requireAccount } from '../../accounts/index.ts'
import { failureReasonOf } from '../../kernel/message.ts'
import { walletsOf } from '../../money/index.ts'
import { createOperatorAudit, type OperatorAuditOptions, withoutCarriers } from '../../store/audit/index.ts'
import type { Database, ReadOnlyDatabase, Tx } from '../../store/database.ts'
import { columnName } from '../../store/rows.ts'
import { type Tables, tables } from '../../store/schema/schema.ts'
import { SLICE } from '../../store/slices.ts'
import { CLASSES, type TableClass } from './columns.ts'
import { exportPeople } from './export-people.ts'

/** The ids by which an account's rows are found. */
interface Owner {
  accountId: string
  walletIds: string[]
  journals: string[]
}

type Name = keyof Tables

/** The tables of an export, with the rows of each that are an account's. Its people come from several. */
const OWNED: Partial<Record<Name, (t: Tables, owner: Owner) => SQL>> = {
  accounts: (t, { accountId }) => eq(t.accounts.id, accountId),
  invitations: (t, { accountId }) => eq(t.invitations.accountId, accountId),
  clients: (t, { accountId }) => eq(t.clients.accountId, accountId),
  keys: (t, { accountId }) => eq(t.keys.accountId, accountId),
  keyAddresses: (t, { accountId }) => eq(t.keyAddresses.accountId, accountId),
  wallets: (t, { accountId }) => eq(t.wallets.accountId, accountId),
  alertChoices: (t, { accountId }) => eq(t.alertChoices.accountId, accountId),
  accountAlerts: (t, { accountId }) => eq(t.accountAlerts.accountId, accountId),
  senderIds: (t, { accountId }) => eq(t.senderIds.accountId, accountId),
  messages: (t, { walletIds }) => inArray(t.messages.walletId, walletIds),
  ledger: (t, { walletIds }) => inArray(t.ledger.walletId, walletIds),
  hourlyTotals: (t, { walletIds }) => inArray(t.hourlyTotals.walletId, walletIds),
  callbacks: (t, { walletIds }) => inArray(t.callbacks.walletId, walletIds),
  callbackAttempts: (t, { walletIds }) =>
    sql`${t.callbackAttempts.callbackId} IN (SELECT id FROM callbacks WHERE ${inArray(t.callbacks.walletId, walletIds)})`,
  connections: (t, { accountId }) => eq(t.connections.accountId, accountId),
  connectorSends: (t, { journals }) => inArray(t.connectorSends.clientId, journals),
  audit: (t, { accountId }) => eq(t.audit.accountId, accountId),
  auditFailures: (t, { accountId }) => eq(t.auditFailures.accountId, accountId),
  refusals: (t, { accountId }) => eq(t.refusals.accountId, accountId),
}

/** The tables of an export, in the order in which they are written. */
export const EXPORTED: readonly Name[] = [
  'people',
  ...Object.keys(OWNED).filter((name): name is Name => name in tables),
]

/** The name of a table in an export: `sender-ids`. */
export function exportName(name: Name): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Notes in the audit log that all of an account is about to be read. Returns its id. */
export function beginExport(
  parts: OperatorAuditOptions & { database: Database },
  idOrEmail: string,
): Promise<string> {
  return parts.database.write(async (tx) => {
    const { id } = await requireAccount(tx, idOrEmail)
    await createOperatorAudit(parts)(tx, { action: 'account.export', accountId: id })
    return id
  })
}

/**
 * Reads an account's rows of a table in slices, without secrets and, unless told, without the carriers that had its
 * messages. Amounts are in major units, times in UTC.
 */
export async function* exportRows(
  database: ReadOnlyDatabase,
  accountId: string,
  name: Name,
  showCarriers: boolean,
): AsyncGenerator<Record<string, unknown>> {
  if (name === 'people') return yield* exportPeople(database, accountId)
  const owned = OWNED[name]
  if (!owned) return
  const owner = await database.read((tx) => ownerOf(tx, accountId))
  const { key, columns }: TableClass = CLASSES[name]
  let after: unknown[] | undefined
  for (;;) {
    const rows = await database.read(({ db, t }) => {
      const table: Table = t[name]
      const keys = key.map((column) => columnOf(table, column))
      const beyond =
        after &&
        sql`(${sql.join(keys, sql`, `)}) > (${sql.join(
          after.map((value) => sql`${value}`),
          sql`, `,
        )})`
      return db
        .select()
        .from(t[name])
        .where(and(owned(t, owner), beyond))
        .orderBy(...keys.map((column) => asc(column)))
        .limit(SLICE)
    })
    for (const row of rows) yield shown(forCustomer(row, showCarriers), columns, showCarriers)
    const last = rows.at(-1)
    if (!last || rows.length < SLICE) return
    after = key.map((column) => Reflect.get(last, column))
  }
}

async function ownerOf(tx: Tx, accountId: string): Promise<Owner> {
  const { db, t } = tx
  const wallets = await walletsOf(tx, accountId)
  const clients = await clientsOf(tx, accountId)
  const connections = await db
    .select({ id: t.connections.id })
    .from(t.connections)
    .where(eq(t.connections.accountId, accountId))
  return {
    accountId,
    walletIds: wallets.map(({ id }) => id),
    journals: [...clients, ...connections].map(({ id }) => id),
  }
}

function columnOf(table: Table, name: string) {
  const column = getTableColumns(table)[name]
  if (!column) throw new Error(`the table has no column ${columnName(name)}`)
  return column
}

/** Times are stored as milliseconds, 0 where there is none. */
const TIME = /(?:^at|At)$/

/** The row with what its customer reads in place of what is between operators and carriers. */
function forCustomer(row: ExportedRow, showCarriers: boolean): object {
  if ('failureReason' in row) return { ...row, failureReason: failureReasonOf(row) ?? null }
  if (showCarriers || !('detail' in row)) return row
  return { ...row, detail: JSON.stringify(withoutCarriers(JSON.parse(row.detail))) }
}

type ExportedRow = Tables[Name]['$inferSelect']

function shown(row: object, columns: TableClass['columns'], showCarriers: boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]: [string, unknown]) => {
      const kind = columns[name]
      if (kind === 'operator' && !showCarriers) return []
      if (kind === 'secret' || kind === undefined || name.endsWith('Key')) return []
      if (kind === 'money' && typeof value === 'number') return [[name, toDecimal(value as Micros)]]
      if (TIME.test(name) && typeof value === 'number')
        return [[name, value === 0 ? null : new Date(value).toISOString()]]
      return [[name, value]]
    }),
  )
}
