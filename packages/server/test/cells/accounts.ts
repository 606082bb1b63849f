import type { AccountSecrets } from '../../src/accounts/operator.ts'
import type { Database } from '../../src/store/database.ts'
import { SCHEDULED } from '../isolation/scheduling.ts'
import { BALANCE, BULK, bulk, call, SINGLE, single } from '../support/front.ts'
import { clock, type Served, soon } from './cells.ts'

/** By this number a simulated phone never says whether it got the message. */
const SILENT = '233241200005'
export const AN_HOUR = 3_600_000

/** An account that has sent, and has nothing under way. A callback of it waits: its receiver is not there. */
export async function usedAccount(one: Served, name: string) {
  const account = await one.front.account(name, 1_000_000_000)
  const ask = (body: object, key: string, path = SINGLE) =>
    call(one.front.url, account, { path, body, key: `${name}-${key}` })
  const first = await ask({ ...single(), Reference: 'first' }, 'first')
  await ask(bulk(['233241234567', '233241200001', '233241200004']), 'bulk', BULK)
  await ask({ ...single(), CallbackUrl: 'http://127.0.0.1:9/' }, 'callback')
  await soon('all are final', async () => (await underWay(one, account)) === 0)
  await soon('the callback was tried', async () => (await callbacksLater(one, account)) === 1)
  return { account, first: first.text }
}

/** Sends a message that stays under way, and one for later. */
export async function sendOpen(one: Served, account: AccountSecrets, sendAt = clock.now() + AN_HOUR) {
  const SendAt = new Date(sendAt).toISOString()
  const silent = await call(one.front.url, account, { path: SINGLE, body: single(SILENT) })
  const scheduled = await call(one.front.url, account, { path: SCHEDULED, body: { ...single(), SendAt } })
  await soon('the carrier has it', async () => {
    const [ref] = await rows(one, 'SELECT ref FROM carrier_refs WHERE message_id = $1', ticketOf(silent))
    return ref !== undefined
  })
  return { silent: ticketOf(silent), scheduled: ticketOf(scheduled) }
}

export const ticketOf = ({ text }: { text: string }): string => JSON.parse(text).Ticket

export async function rows<T extends object>(
  { cell }: { cell: { database: Database } },
  text: string,
  ...values: string[]
) {
  return cell.database.read(({ run }) => run<T>(text, values))
}

export async function change({ cell }: Served, text: string, ...values: (string | number)[]): Promise<void> {
  await cell.database.write(({ run }) => run(text, values))
}

/** Gives a message its carrier's final receipt. The gateway that has the message looks at once. */
export async function giveReceipt(served: Served, ticket: string): Promise<void> {
  await change(served, "UPDATE carrier_refs SET verdict = 'success' WHERE message_id = $1", ticket)
  await change(served, 'UPDATE outbox SET run_at = 0 WHERE id = $1', ticket)
}

export async function count(served: Served, what: string, { accountId }: AccountSecrets): Promise<number> {
  const [row] = await rows<{ n: number }>(served, `SELECT count(*) AS n FROM ${what}`, accountId)
  return row?.n ?? 0
}

export const underWay = (served: Served, account: AccountSecrets) =>
  count(served, 'messages WHERE account_id = $1 AND sender_key IS NULL', account)

export const callbacksLater = (served: Served, account: AccountSecrets) =>
  count(served, "outbox WHERE kind = 'callback' AND owner = $1 AND attempts > 0", account)

export async function statusOf(served: Served, ticket: string): Promise<string | undefined> {
  const [row] = await rows<{ status: string }>(served, 'SELECT status FROM messages WHERE id = $1', ticket)
  return row?.status
}

export async function isActive(served: Served, { accountId }: AccountSecrets): Promise<boolean> {
  const [row] = await rows<{ status: string }>(served, 'SELECT status FROM accounts WHERE id = $1', accountId)
  return row?.status === 'active'
}

export async function postedIn(served: Served, { accountId }: AccountSecrets): Promise<number | undefined> {
  const [row] = await rows<{ posted: number }>(
    served,
    'SELECT posted FROM wallets WHERE account_id = $1',
    accountId,
  )
  return row?.posted
}

export async function idsOf(served: Served, { accountId, clientId }: AccountSecrets) {
  const own = await rows<{ id: string }>(
    served,
    `SELECT id FROM wallets WHERE account_id = $1 UNION ALL SELECT id FROM messages WHERE account_id = $2
     UNION ALL SELECT id FROM callbacks WHERE account_id = $3 UNION ALL SELECT person_id FROM memberships WHERE account_id = $4`,
    accountId,
    accountId,
    accountId,
    accountId,
  )
  return [accountId, clientId, ...own.map(({ id }) => id)]
}

/** Somebody with a password and a generator. */
export async function join(served: Served, accountId: string, email: string): Promise<string> {
  await served.cell.people.invite(accountId, email, 'sender')
  const id = `${email} in ${served.cell.name}`
  await change(
    served,
    'INSERT INTO people (id, email, password_hash, created_at) VALUES ($1, $2, $3, 1)',
    id,
    email,
    `hash of ${id}`,
  )
  await change(
    served,
    "INSERT INTO memberships (account_id, person_id, role, created_at, created_by) VALUES ($1, $2, 'sender', 2, 'operator:ada')",
    accountId,
    id,
  )
  await change(
    served,
    "INSERT INTO code_generators (id, owner_kind, owner_id, sealed, last_step, created_at) VALUES ($1, 'person', $2, 'sealed', 1, 1)",
    `generator of ${id}`,
    id,
  )
  await change(served, 'DELETE FROM invitations WHERE email = $1', email)
  return id
}

/** A gateway remembers for a second who was let in. */
export const askedToComeAgain = (one: Served, account: AccountSecrets) =>
  soon('its requests are asked to come again', async () => {
    const { status, headers } = await balanceAt(one, account)
    return status === 503 && headers.get('retry-after') === '30'
  })

export const balanceAt = ({ front }: Served, account: AccountSecrets) =>
  call(front.url, account, { path: BALANCE })
export const amountIn = ({ text }: { text: string }): number => JSON.parse(text).balance
