import { zCallback, zCallbackPage, zReplayResult } from '@wigwag/contract/validators'
import type * as z from 'zod'
import type { Bench } from '../support/bench.ts'
import { type Changes, MESSAGE } from '../support/harness.ts'
import { answerOf } from './requests.ts'

export type Callback = z.infer<typeof zCallback>

export const URL_OF_RECEIVER = 'https://receiver.example/sms'
export const A_MINUTE = 60_000

/** Sends a message whose end is posted to a receiver, and gives its ticket. */
export async function sendWithCallback(
  { call }: Bench,
  fields: object = {},
  as: Changes = {},
): Promise<string> {
  const body = { ...MESSAGE, CallbackUrl: URL_OF_RECEIVER, ...fields }
  const { Ticket } = await (await call('POST', '/v1/messages/sms', as, body)).json()
  return Ticket
}

export const pageOf = ({ call }: Bench, query: Record<string, string> = {}, as: Changes = {}) =>
  answerOf(call('GET', `/v1/callbacks?${new URLSearchParams(query)}`, as), zCallbackPage)

/** The one callback that there is, or that a ticket has. */
export async function onlyOf(bench: Bench, query: Record<string, string> = {}): Promise<Callback> {
  const { Items } = await pageOf(bench, query)
  const [only, ...others] = Items
  if (!only || others.length > 0) throw new Error(`expected one callback, got ${Items.length}`)
  return only
}

/** Lets time pass until a callback is in a state and nothing is under way. */
export async function untilState(bench: Bench, id: string, state: Callback['State']): Promise<void> {
  const isSo = async () => {
    const { Items } = await pageOf(bench, { State: state, Limit: '200' })
    return Items.some((callback) => callback.Id === id)
  }
  await bench.until(`the callback is ${state}`, isSo, 60 * A_MINUTE)
}

export const replay = ({ call }: Bench, id: string) =>
  answerOf(call('POST', `/v1/callbacks/${id}/replay`), zCallback)

export const replayFailed = ({ call }: Bench, Since: string, as: Changes = {}) =>
  answerOf(call('POST', '/v1/callbacks/replay', as, { Since }), zReplayResult)
