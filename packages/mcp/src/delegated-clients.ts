import { createHash } from 'node:crypto'
import type { Client, ResponseEvent } from '@wigwag/sdk'
import { type Assistant, SignInUnavailable, type TokenService } from './sign-in.ts'

/** What a client of the gateway is made with, for one connection. To be handed on to the SDK's `createClient`. */
export interface DelegatedAccess {
  accessToken: string
  /** Notices that the gateway does not take the token any more. */
  onResponse(event: ResponseEvent): void
}

export interface DelegatedClientsOptions {
  tokens: Pick<TokenService, 'exchange'>
  createClient(access: DelegatedAccess): Client
  now(): number
}

interface Held {
  client: Promise<Client>
  /** From then on a new token is asked for. */
  until: number
}

/** A token is not used in its last seconds: a call may take some, and clocks differ. */
const MARGIN_MS = 30_000
/** Whoever is not among the last so many is exchanged for again. */
const MOST = 1_000

/** Answers with the client for an assistant's token. It calls with the token that was given in its place, never with it. */
export function createDelegatedClients({ tokens, createClient, now }: DelegatedClientsOptions) {
  /** By a digest of the token and of what it proves; whoever called last stands last. */
  const known = new Map<string, Held>()

  function keep(name: string, held: Held): void {
    known.delete(name)
    known.set(name, held)
    const [oldest] = known.keys()
    if (known.size > MOST && oldest !== undefined) known.delete(oldest)
  }

  /** Calls that come before the answer wait for it too. */
  function begin(name: string, token: string): Promise<Client> {
    const drop = () => {
      if (known.get(name) === held) known.delete(name)
    }
    const onResponse = ({ status }: ResponseEvent) => {
      if (status === 401) drop()
    }
    const answer = tokens.exchange(token)
    const client = answer.then(({ accessToken }) => {
      if (accessToken !== token) return createClient({ accessToken, onResponse })
      throw new SignInUnavailable('the exchange gave the same token back', { kind: 'set-up' })
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
    const held = known.get(name)
    if (!held || held.until <= now()) return begin(name, token)
    keep(name, held)
    return held.client
  }
}
