import { counted, type Micros } from '@wigwag/contract'
import { and, eq, inArray } from 'drizzle-orm'
import { type NewAddress, untoldAddresses } from '../../../accounts/index.ts'
import { failingAmong, MOST_FAILING } from '../../../callbacks/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { money } from '../../../kernel/money/shown.ts'
import { plainWords } from '../../../kernel/text/words.ts'
import { DAY_MS, utcDay } from '../../../kernel/time/spans.ts'
import type { Tx } from '../../../store/database.ts'
import { readSetting } from '../../../store/settings.ts'
import type { Seen } from '../next.ts'
import { type AccountAlert, alertsThere, type Stretch } from './rows.ts'

/** So many accounts have their turn in a look: the others have theirs in the next ones. */
const MOST_ACCOUNTS = 1_000
const MOST_ADDRESSES = 200
const MOST_HOSTS = 3

/** A look at customers. */
interface CustomersLook {
  stretch: Stretch
  /** After which account the next look begins. */
  next: string
  seen: Seen[]
  rows: AccountAlert[]
  addresses: NewAddress[]
}

/** Looks at the accounts whose turn it is, and at addresses that are new for keys of any. */
export async function lookAtCustomers(tx: Tx, now: EpochMs, most = MOST_ACCOUNTS): Promise<CustomersLook> {
  const after = (await readSetting(tx, 'account_alerts_after')) ?? ''
  const ids = await inTurn(tx, after, most)
  const stretch = { after, upTo: ids.at(-1) ?? '' }
  return {
    stretch,
    next: ids.length < most ? '' : stretch.upTo,
    seen: [
      ...(await lowWallets(tx, stretch)),
      ...(await spentToday(tx, stretch, now)),
      ...(await failingReceivers(tx, stretch)),
    ],
    rows: await alertsThere(tx, stretch),
    addresses: await untoldAddresses(tx, MOST_ADDRESSES),
  }
}

/** Accounts that chose something, or that were told of something that is not over. */
async function inTurn({ run }: Tx, after: string, most: number): Promise<string[]> {
  const rows = await run<{ id: string }>(
    `SELECT id FROM (SELECT DISTINCT account_id AS id FROM alert_choices WHERE account_id > $1
       ORDER BY account_id LIMIT $2) AS choosing
     UNION SELECT id FROM (SELECT DISTINCT account_id AS id FROM account_alerts WHERE over_at IS NULL AND account_id > $3
       ORDER BY account_id LIMIT $4) AS told
     ORDER BY id LIMIT $5`,
    [after, most, after, most, most],
  )
  return rows.map(({ id }) => id)
}

/** A suspended account is looked at when it is resumed. */
const CHOSEN = `FROM alert_choices c JOIN accounts a ON a.id = c.account_id AND a.status = 'active'`
const IN_TURN = 'c.account_id > $1 AND c.account_id <= $2'

interface OfWallet {
  accountId: string
  walletId: string
  currency: string
  has: Micros
  amount: Micros
}

async function lowWallets({ run }: Tx, { after, upTo }: Stretch): Promise<Seen[]> {
  const rows = await run<OfWallet>(
    `SELECT c.account_id AS "accountId", w.id AS "walletId", w.currency, w.posted - w.held AS has, c.amount
     ${CHOSEN} JOIN wallets w ON w.account_id = c.account_id
     WHERE c.kind = 'wallet' AND ${IN_TURN} AND w.posted - w.held < c.amount`,
    [after, upTo],
  )
  return rows.map(({ accountId, walletId, currency, has, amount }) =>
    seen(
      `wallet:${walletId}`,
      accountId,
      `The wallet has ${money(has, currency)}, less than ${money(amount, currency)}.`,
    ),
  )
}

const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })

/** By the running totals, as Insights count a day. */
async function spentToday({ run }: Tx, { after, upTo }: Stretch, now: EpochMs): Promise<Seen[]> {
  const today = utcDay(now) * DAY_MS
  const rows = await run<OfWallet>(
    `SELECT * FROM (
       SELECT c.account_id AS "accountId", w.id AS "walletId", w.currency, c.amount,
         (SELECT CAST(coalesce(sum(h.spend), 0) AS BIGINT) FROM hourly_totals h
          WHERE h.wallet_id = w.id AND h.hour >= $1 AND h.hour < $2) AS has
       ${CHOSEN} JOIN wallets w ON w.account_id = c.account_id WHERE c.kind = 'spend'
         AND c.account_id > $3 AND c.account_id <= $4) AS spent
     WHERE has > amount`,
    [today, today + DAY_MS, after, upTo],
  )
  return rows.map(({ accountId, walletId, currency, has, amount }) =>
    seen(
      // Each day is another.
      `spend:${walletId}:${utcDay(now)}`,
      accountId,
      `${money(has, currency)} was spent on ${dayAndMonth.format(now)}, more than ${money(amount, currency)}.`,
    ),
  )
}

async function failingReceivers(tx: Tx, { after, upTo }: Stretch): Promise<Seen[]> {
  const chosen = await tx.run<{ id: string }>(
    `SELECT c.account_id AS id ${CHOSEN} WHERE c.kind = 'receiver' AND ${IN_TURN}`,
    [after, upTo],
  )
  const failing = await failingAmong(
    tx,
    chosen.map(({ id }) => id),
  )
  return failing.map(seenReceiver)
}

function seenReceiver({
  accountId,
  callbacks,
  hosts,
}: Awaited<ReturnType<typeof failingAmong>>[number]): Seen {
  const many = callbacks >= MOST_FAILING ? 'At least ' : ''
  const failed = counted(callbacks, 'callback failed', 'callbacks failed')
  const where = hosts.slice(0, MOST_HOSTS).join(', ')
  const more = hosts.length > MOST_HOSTS ? ` and ${hosts.length - MOST_HOSTS} more` : ''
  return seen(
    `receiver:${accountId}`,
    accountId,
    `${many}${failed} three times and ${callbacks === 1 ? 'waits' : 'wait'}: ${where}${more} does not take them.`,
  )
}

/** Customers wrote parts of it. */
function seen(key: string, accountId: string, text: string): Seen {
  return { key, state: 'warn', text: plainWords(text), accountId }
}

/** Which of some accounts want to be told of new addresses. */
export async function wantAddresses({ db, t }: Tx, accountIds: readonly string[]): Promise<Set<string>> {
  if (accountIds.length === 0) return new Set()
  const rows = await db
    .select({ id: t.accounts.id })
    .from(t.alertChoices)
    .innerJoin(t.accounts, eq(t.accounts.id, t.alertChoices.accountId))
    .where(
      and(
        inArray(t.alertChoices.accountId, [...accountIds]),
        eq(t.alertChoices.kind, 'address'),
        eq(t.accounts.status, 'active'),
      ),
    )
  return new Set(rows.map(({ id }) => id))
}
