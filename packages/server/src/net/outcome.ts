import type { OutboundFailure, OutboundResult } from '../gateway/ports.ts'

type WithoutLatency<T> = T extends unknown ? Omit<T, 'latencyMs'> : never

/** A result before it is known how long it took. */
export type Outcome = WithoutLatency<OutboundResult>
export type Failed = Extract<Outcome, { kind: 'failure' }>

export function failedBefore(failure: OutboundFailure, detail: string): Failed {
  return { kind: 'failure', stage: 'before', failure, detail }
}

export function failedDuring(failure: OutboundFailure, detail: string): Failed {
  return { kind: 'failure', stage: 'during', failure, detail }
}
