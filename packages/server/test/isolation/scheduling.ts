import { zScheduleResult, zTransaction } from '@wigwag/contract/validators'
import type * as z from 'zod'
import type { Bench } from '../support/bench.ts'
import { type Changes, MESSAGE } from '../support/harness.ts'
import { answerOf } from './requests.ts'

export const SCHEDULED = '/v1/messages/sms/scheduled'
export const at = (ms: number) => new Date(ms).toISOString()

export const schedule = ({ call }: Bench, SendAt: string, fields: object = {}, headers: Changes = {}) =>
  answerOf(call('POST', SCHEDULED, headers, { ...MESSAGE, SendAt, ...fields }), zScheduleResult)

export const cancel = ({ call }: Bench, ticket: string) => call('DELETE', `${SCHEDULED}/${ticket}`)

export const recordOf = ({ call }: Bench, ticket: string): Promise<z.infer<typeof zTransaction>> =>
  answerOf(call('GET', `/v1/transactions/${ticket}/status`), zTransaction)

/** The amount that a wallet can spend, in micros. */
export async function spendable({ call }: Bench): Promise<number> {
  const { balance }: { balance: number } = await (await call('GET', '/v1/account/balance')).json()
  return Math.round(balance * 1_000_000)
}

/** When each message was handed to the carrier, by ticket. */
export async function submissions({ database }: Bench): Promise<Map<string, number>> {
  const rows = await database.read(({ run }) =>
    run<{ id: string; submitted: number }>(
      `SELECT m.id, CASE WHEN m.submitted_at > 0 THEN m.submitted_at ELSE coalesce(o.submitted_at, 0) END
         AS submitted FROM messages m LEFT JOIN outbox o ON o.id = m.id`,
      [],
    ),
  )
  return new Map(rows.flatMap(({ id, submitted }) => (submitted > 0 ? [[id, submitted] as const] : [])))
}
