import type { components } from '@wigwag/contract/openapi'
import { walletOf } from '../kernel/principal.ts'
import type { Handler } from '../net/server/handler.ts'
import { instant, nextCursor, pageRequest, timeOf } from '../net/server/paging.ts'
import type { CallbackLog } from './log.ts'
import type { LoggedCallback } from './log-rows.ts'

export function listCallbacks(log: CallbackLog): Handler<'listCallbacks'> {
  return async ({ principal, query }) => {
    const filter = { ticket: query.Ticket?.toLowerCase(), state: query.State, since: undefined }
    const { items, next } = await log.list(walletOf(principal), filter, pageRequest(query))
    return { body: { Items: items.map(callback), ...nextCursor(next) } }
  }
}

export function replayCallback(log: CallbackLog): Handler<'replayCallback'> {
  return async ({ principal, path }) => ({ body: callback(await log.replay(walletOf(principal), path.id)) })
}

export function replayFailedCallbacks(log: CallbackLog): Handler<'replayFailedCallbacks'> {
  return async ({ principal, body }) => {
    const { replayed, skipped } = await log.replayFailed(walletOf(principal), timeOf(body.Since))
    return { body: { Replayed: replayed, Skipped: skipped } }
  }
}

function callback(logged: LoggedCallback): components['schemas']['Callback'] {
  const { id, messageId, url, state, createdAt, nextAttemptAt, attempts } = logged
  return {
    Id: id,
    Ticket: messageId,
    Url: url,
    State: state,
    DateCreated: instant(createdAt),
    ...(nextAttemptAt === undefined ? {} : { NextAttemptAt: instant(nextAttemptAt) }),
    Attempts: attempts.map(({ startedAt, httpStatus, latencyMs, errorClass, reply }) => ({
      At: instant(startedAt),
      LatencyMs: latencyMs,
      ...(httpStatus === null ? {} : { HttpStatus: httpStatus }),
      ...(errorClass === null ? {} : { ErrorClass: errorClass }),
      ...(reply === null ? {} : { Reply: reply }),
    })),
  }
}
