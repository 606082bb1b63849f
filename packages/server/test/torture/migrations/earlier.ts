import { columnsOf, type Run, type Schema } from './schemas.ts'
import type { Row, Rows } from './source.ts'

/** Tables that others refer to, in the order in which they are filled. */
const FIRST = ['accounts', 'clients', 'wallets', 'connections']
/** Of the gateway that stores it, not of the data: each makes its own. */
const NOT_KEPT = new Set(['migrations', 'carrier_reports'])

/** Writes rows of today's schema into an earlier one, as a gateway of that time would have stored them. */
export async function fillEarlier(url: string, run: Run, { number }: Schema, rows: Rows): Promise<void> {
  const columns = await columnsOf(url, run)
  // Only SQLite used the intake, and from 0005 on it is empty.
  const hasIntake = columns.has('intake') && url.startsWith('file:') && number < '0005'
  const earlier = hasIntake ? withIntake(rows) : rows
  const others = [...columns.keys()].filter((table) => !FIRST.includes(table))
  for (const table of [...FIRST, ...others]) {
    if (NOT_KEPT.has(table) || !columns.has(table)) continue
    // A new database has some rows already.
    if (others.includes(table)) await run(`DELETE FROM ${table}`)
    for (const row of earlier.get(table) ?? [])
      await insert(run, table, columns.get(table) ?? [], former(table, row, rows))
  }
}

async function insert(run: Run, table: string, columns: readonly string[], row: Row): Promise<void> {
  const names = columns.filter((column) => row[column] !== undefined)
  const places = names.map((_, index) => `$${index + 1}`)
  await run(
    `INSERT INTO ${table} (${names.join()}) VALUES (${places.join()})`,
    names.map((name) => row[name]),
  )
}

/** A row with the columns that have since been dropped. */
function former(table: string, row: Row, rows: Rows): Row {
  const key = (kind: string, current: boolean) =>
    rows
      .get('keys')
      ?.find((each) => each.kind === kind && each.owner_id === row.id && (each.ends_at === 0) === current)
  switch (table) {
    case 'accounts':
      return {
        ...row,
        callback_secret: key('callback', true)?.stored,
        callback_secret_previous: key('callback', false)?.stored ?? null,
        callback_secret_rotated_at: key('callback', false) ? key('callback', true)?.created_at : 0,
      }
    case 'clients':
      return { ...row, secret_hash: key('client', true)?.stored }
    case 'wallets':
      return { ...row, token_hash: key('wallet', true)?.stored }
    case 'callbacks':
      return { ...row, payload: '{}' }
    default:
      return row
  }
}

/** Moves the messages that wait to be dispatched into the table where SQLite kept them for a while. */
function withIntake(rows: Rows): Rows {
  const jobs = (rows.get('outbox') ?? []).filter(({ kind }) => kind === 'dispatch')
  const waiting = (rows.get('messages') ?? []).filter(({ id }) => jobs.some((job) => job.id === id))
  const without = (table: string) =>
    (rows.get(table) ?? []).filter(({ id }) => !waiting.some((each) => each.id === id))
  const intake = waiting.map((message, index) => ({
    seq: index + 1,
    wallet_id: message.wallet_id,
    promised: message.price,
    messages: JSON.stringify({
      common: {
        accountId: message.account_id,
        walletId: message.wallet_id,
        status: 'pending',
        balanceBefore: message.balance_before,
        balanceAfter: message.balance_after,
        sendAt: 0,
      },
      validityMs: Number(jobs.find(({ id }) => id === message.id)?.expires_at) - Number(message.created_at),
      columns: Object.keys(INTAKE),
      rows: [Object.values(INTAKE).map((column) => message[column])],
    }),
  }))
  const totals = (rows.get('hourly_totals') ?? []).map((total) => ({
    ...total,
    sent: Number(total.sent) - waiting.filter((message) => isCounted(message, total)).length,
  }))
  return new Map([
    ...rows,
    ['messages', without('messages')],
    ['outbox', without('outbox')],
    ['hourly_totals', totals],
    ['intake', intake],
  ])
}

const INTAKE = {
  id: 'id',
  sender: 'sender',
  recipient: 'recipient',
  content: 'content',
  reference: 'reference',
  callbackUrl: 'callback_url',
  encoding: 'encoding',
  segments: 'segments',
  country: 'country',
  network: 'network',
  price: 'price',
  createdAt: 'created_at',
}

function isCounted(message: Row, { wallet_id, hour, country, network }: Row): boolean {
  const createdAt = Number(message.created_at)
  return (
    message.wallet_id === wallet_id &&
    createdAt - (createdAt % 3_600_000) === hour &&
    message.country === country &&
    (message.network ?? '') === network
  )
}
