import { timingSafeEqual } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import { digestOf } from '../gateway/identify.ts'

/** A client as it is stored: its secret is long and random, and only the digest of it is kept. */
export function withDigest<Client extends Pick<AdapterPayload, 'client_secret'>>(client: Client): Client {
  const { client_secret: secret } = client
  return secret === undefined ? client : { ...client, client_secret: digestOf(secret) }
}

/** Whether this is the secret of a client as it was stored. */
export function isSecretOf(this: { clientSecret?: string | undefined }, shown: string): boolean {
  const kept = Buffer.from(this.clientSecret ?? '')
  const found = Buffer.from(digestOf(shown))
  return kept.length === found.length && timingSafeEqual(kept, found)
}
