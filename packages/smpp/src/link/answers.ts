import type { Pdu } from '../codec/pdu.ts'
import { stateOf } from '../receipt.ts'
import { type Answer, kindOf, nameOf, STATUS, type StatusKind } from '../status.ts'
import type { Reply } from './exchanges.ts'
import type { QueryAnswer } from './link-options.ts'

/** The meaning of a carrier's answer to a submission; the link adds how long to wait. */
export function answerIn(
  pdu: Pdu,
  statuses: ReadonlyMap<number, StatusKind>,
): Exclude<Answer, { kind: 'later' }> | { kind: 'later'; reason: string } {
  if (pdu.kind === 'submit_sm_resp' && pdu.status === 0) return { kind: 'accepted', id: pdu.messageId }
  // A generic_nack may come without a status.
  const status = pdu.status || STATUS.unknown
  const kind = kindOf(status, statuses)
  return kind === 'uncertain' ? { kind } : { kind, reason: `the carrier answered ${nameOf(status)}` }
}

export function queryAnswerIn(reply: Reply): QueryAnswer {
  if (reply.kind !== 'answered' || reply.pdu.kind !== 'query_sm_resp') return { kind: 'unknown' }
  const state = reply.pdu.status === 0 ? stateOf(reply.pdu.state) : undefined
  return state === undefined ? { kind: 'unknown' } : { kind: 'state', state }
}
