import type { EpochMs } from '../domain/ids.ts'

/** A request of an account that the gateway refused: what a developer needs to correct it, and no secret or text. */
export interface RefusedRequest {
  at: EpochMs
  method: string
  path: string
  status: number
  code: string
  detail: string
  requestId: string
}

/** The newest refused requests, in memory. Those without a known account may belong to any account. */
export interface RefusedRequests {
  record(accountId: string | undefined, request: RefusedRequest): void
  /** Newest first: an account's, and those of no known account. */
  latest(accountId: string): readonly RefusedRequest[]
  /** Calls `hear` for each new one until the returned function is called. */
  listen(accountId: string, hear: (request: RefusedRequest) => void): () => void
}

const KEPT = 200

interface Kept extends RefusedRequest {
  accountId: string | undefined
}

export function createRefusedRequests(): RefusedRequests {
  const kept: Kept[] = []
  const listeners = new Set<(request: Kept) => void>()
  const isOf = (accountId: string, request: Kept) =>
    request.accountId === undefined || request.accountId === accountId

  return {
    record(accountId, request) {
      const one = { ...request, accountId }
      kept.unshift(one)
      kept.splice(KEPT)
      for (const listener of listeners) listener(one)
    },
    latest: (accountId) => kept.filter((request) => isOf(accountId, request)),
    listen(accountId, hear) {
      const listener = (request: Kept) => isOf(accountId, request) && hear(request)
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
