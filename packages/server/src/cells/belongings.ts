import { getTableName } from 'drizzle-orm'
import type { MovedTable } from '../moving/index.ts'
import { columnName, typesOf } from '../platform/database/rows.ts'
import { type Tables, tables } from '../platform/database/schema.ts'
import { CLASSES } from '../privacy/index.ts'

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

/** What becomes of a table's rows when an account moves to another cell: they stay, they end, or they go with it. */
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
  wallets: ofAccount,
  ledger: ofWallet,
  ledgerReferences: ofWallet,
  walletWarnings: ofWallet,
  lowWalletEvents: ofWallet,
  senderIds: ofAccount,
  rates: 'stay',
  settings: 'stay',
  messages: { ...ofWallet, by: ['created_at', 'id'] },
  hourlyTotals: ofWallet,
  // At rest it has none but of callbacks that wait for a later attempt, which the other cell posts by itself.
  outbox: 'stay',
  traces: 'stay',
  carrierRefs: 'stay',
  carrierTotals: 'stay',
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

/** An account with its wallets, as what belongs to it is found. */
export interface Owner {
  accountId: string
  walletIds: readonly string[]
}

/** A table, or what one wallet has in it. */
export interface OwnTable extends MovedTable, Pick<Going, 'person' | 'shared' | 'uses'> {}

/** What goes with an account, in the order in which it is copied. */
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
