import type { Micros } from '@wigwag/contract'
import { join, personOf } from '../../src/accounts/people/index.ts'
import type { Config } from '../../src/config/config.ts'
import { insertRows } from '../../src/store/rows.ts'
import type { AlertKind } from '../../src/store/schema/schema.ts'
import { type Bench, openBench } from '../support/bench.ts'

export const A_LOOK = 15_000
export const A_MINUTE = 60_000
export const AN_HOUR = 60 * A_MINUTE
export const A_DAY = 24 * AN_HOUR

/** A gateway that looks for alerts. */
export const openLooking = (database: string, config: Partial<Config> = {}, answer?: Bench['answer']) =>
  openBench({
    database,
    config: { alertCheckMs: A_LOOK, pollMs: 5_000, ...config },
    ...(answer && { answer }),
  })

/** Has the demo account, or another, told of something. */
export async function choose(
  { database, demo }: Pick<Bench, 'database' | 'demo'>,
  kind: AlertKind,
  amount: Micros | null = null,
  accountId = demo.accountId,
): Promise<void> {
  await database.write((tx) => insertRows(tx, tx.t.alertChoices, [{ accountId, kind, amount }]))
}

export interface Noted {
  text: string
  told: boolean
  over: boolean
}

/** The alerts of all accounts, the oldest first. */
export async function noted({ database, now }: Pick<Bench, 'database' | 'now'>): Promise<Noted[]> {
  const rows = await database.read(({ db, t }) =>
    db.select().from(t.accountAlerts).orderBy(t.accountAlerts.id),
  )
  return rows.map(({ text, toldAt, overAt }) => ({
    text,
    told: toldAt !== null,
    over: overAt !== null && overAt <= now(),
  }))
}

/** Lets somebody into an account who is told by mail, at an address that is known to be theirs. */
export async function mailed(
  { database, now }: Pick<Bench, 'database' | 'now'>,
  accountId: string,
  email: string,
): Promise<string> {
  return database.write(async (tx) => {
    const { id } = await personOf(tx, email, { id: `person-${email}`, now: now() })
    await join(tx, { accountId, personId: id, role: 'viewer', by: 'operator:tests' }, now())
    await tx.run('UPDATE people SET mail_proven_at = 1 WHERE id = $1', [id])
    await tx.run('UPDATE memberships SET alerts_by_mail = 1 WHERE person_id = $1', [id])
    return id
  })
}

/** Calls the gateway from an address, with the demo account's keys. */
export async function callFrom(bench: Bench, address: string, headers: Record<string, string> = {}) {
  const { clientId, clientSecret, walletToken } = bench.demo
  const own = {
    authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
    'x-wallet': `Token ${walletToken}`,
    ...headers,
  }
  const path = '/v1/account/balance'
  const incoming = { url: path, headers: own, socket: { remoteAddress: address } }
  const response = await bench.app.fetch(new Request(`http://gateway.invalid${path}`, { headers: own }), {
    incoming,
  })
  // The address is written a moment later.
  await bench.advance(2_000)
  return response.status
}
