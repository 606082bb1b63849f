import { createHash } from 'node:crypto'
import type { Client, ResponseEvent } from '@wigwag/sdk'
import { type Assistant, SignInUnavailable, type TokenService } from './token-service.ts'

/** The credentials and hooks for one connection. Pass them on to the SDK's `createClient`. */
export interface DelegatedAccess {
  accessToken: string
  /** Drops the token when the gateway no longer accepts it. */
  onResponse(event: ResponseEvent): void
}

export interface DelegatedClientsOptions {
  tokens: Pick<TokenService, 'exchange'>
  createClient(access: DelegatedAccess): Client
  now(): number
}

interface Held {
  client: Promise<Client>
  /** From then on, a new token is requested. */
  until: number
}

/** A token is not used in its last seconds: a call takes time, and clocks differ. */
const MARGIN_MS = 30_000
/** The clients kept. When there are more, the least recently used is dropped. */
const CAPACITY = 1_000

/** Returns the client for an assistant's token. It calls with the exchanged token, never with the assistant's own. */
export function createDelegatedClients({ tokens, createClient, now }: DelegatedClientsOptions) {
  /** By a digest of the token and of what it proves, the most recently used last. */
  const clients = new Map<string, Held>()

  function keep(name: string, held: Held): void {
    clients.delete(name)
    clients.set(name, held)
    const [oldest] = clients.keys()
    if (clients.size > CAPACITY && oldest !== undefined) clients.delete(oldest)
  }

  /** Keeps the promise at once, so that concurrent calls share one exchange. */
  function begin(name: string, token: string): Promise<Client> {
    const drop = () => {
      if (clients.get(name) === held) clients.delete(name)
    }
    const onResponse = ({ status }: ResponseEvent) => {
      if (status === 401) drop()
    }
    const answer = tokens.exchange(token)
    const client = answer.then(({ accessToken }) => {
      if (accessToken !== token) return createClient({ accessToken, onResponse })
      throw new SignInUnavailable('the exchange returned the same token', { kind: 'set-up' })
    })
    const held: Held = { client, until: Number.POSITIVE_INFINITY }
    Promise.all([answer, client]).then(([{ expiresAt }]) => {
      held.until = expiresAt - MARGIN_MS
    }, drop)
    keep(name, held)
    return client
  }

  return function clientFor(token: string, { connection, canSend }: Assistant): Promise<Client> {
    const name = createHash('sha256')
      .update(JSON.stringify([token, connection, canSend]))
      .digest('base64url')
    const held = clients.get(name)
    if (!held || held.until <= now()) return begin(name, token)
    keep(name, held)
    return held.client
  }
}
