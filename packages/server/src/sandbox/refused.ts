import type { RefusedRequest } from '../accounts/index.ts'

interface Kept extends RefusedRequest {
  accountId: string | undefined
}

const MOST_KEPT = 200

/** The newest refused requests, in memory. A request without a known account may belong to any account. */
export class RefusedRequests {
  readonly #kept: Kept[] = []
  readonly #listeners = new Set<(request: Kept) => void>()

  record(accountId: string | undefined, request: RefusedRequest): void {
    const one = { ...request, accountId }
    this.#kept.unshift(one)
    this.#kept.splice(MOST_KEPT)
    for (const listener of this.#listeners) listener(one)
  }

  /** Newest first: an account's, and those of no known account. */
  latest(accountId: string): readonly RefusedRequest[] {
    return this.#kept.filter((request) => isOf(accountId, request))
  }

  /** Calls `hear` for each new one until the returned function is called. */
  listen(accountId: string, hear: (request: RefusedRequest) => void): () => void {
    const listener = (request: Kept) => isOf(accountId, request) && hear(request)
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

function isOf(accountId: string, request: Kept): boolean {
  return request.accountId === undefined || request.accountId === accountId
}
