import { timingSafeEqual } from 'node:crypto'
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { digestOf } from '../../accounts/index.ts'
import type { Connections } from '../connections.ts'
import type { StandaloneConnector, StandaloneConnectors } from '../standalone.ts'
import { isNamedOpenly, type OauthRecords, recordKey } from './records.ts'
import { TOKEN_EXCHANGE } from './scopes.ts'

const WHY_IT_ENDED = 'its tokens were revoked, or one of them was used twice'

/** Where the library keeps what it needs: connectors, connections and records. */
export interface Kept {
  records: OauthRecords
  standalone: Pick<StandaloneConnectors, 'find'>
  connections: Pick<Connections, 'endByGrant'>
}

/** The library's storage of one of its models. */
export class StoredModel implements Adapter {
  readonly #model: string
  readonly #kept: Kept
  readonly #isNamed: boolean

  constructor(model: string, kept: Kept) {
    this.#model = model
    this.#kept = kept
    this.#isNamed = isNamedOpenly(model)
  }

  async upsert(id: string, { jti, ...payload }: AdapterPayload, expiresIn: number): Promise<void> {
    await this.#kept.records.put({
      model: this.#model,
      id: this.#keyOf(id),
      payload: JSON.stringify(this.#isNamed ? withDigest({ jti, ...payload }) : payload),
      grantId: payload.grantId ?? null,
      expiresAt: typeof payload.exp === 'number' && expiresIn ? payload.exp * 1_000 : 0,
    })
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const { records, standalone } = this.#kept
    // A client id comes from the request. PostgreSQL accepts no zero character, and no id contains one.
    if (this.#isNamed && id.includes('\0')) return undefined
    const connector = this.#model === 'Client' ? await standalone.find(id) : undefined
    if (connector) return standaloneClient(connector)
    const found = await records.find(this.#model, this.#keyOf(id))
    if (!found) return undefined
    const payload = JSON.parse(found.payload) as AdapterPayload
    return {
      ...payload,
      ...(this.#isNamed ? {} : { jti: id }),
      ...(found.consumedAt > 0 ? { consumed: Math.floor(found.consumedAt / 1_000) } : {}),
    }
  }

  // Never called: the library's session ends with each authorization, and there is no device flow.
  async findByUid(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}

  // The library reads a record before it consumes it. Only the first of concurrent callers goes on. A second one
  // means that the code or token was stolen, and either may be the thief, so the connection ends.
  async consume(id: string): Promise<void> {
    const { records, connections } = this.#kept
    if (await records.consume(this.#model, this.#keyOf(id))) return
    const grantId = (await records.find(this.#model, this.#keyOf(id)))?.grantId
    if (grantId) await connections.endByGrant(grantId, WHY_IT_ENDED)
    throw new errors.InvalidGrant('already used')
  }

  async destroy(id: string): Promise<void> {
    const { records, connections } = this.#kept
    if (this.#model === 'Grant') await connections.endByGrant(id, WHY_IT_ENDED)
    else await records.remove(this.#model, this.#keyOf(id))
  }

  revokeByGrantId(grantId: string): Promise<void> {
    return this.#kept.records.removeOfGrant(this.#model, grantId)
  }

  #keyOf(id: string): string {
    return recordKey(this.#model, id)
  }
}

/** A client as it is stored: with the digest of its secret, which is long and random. */
function withDigest<Client extends Pick<AdapterPayload, 'client_secret'>>(client: Client): Client {
  const { client_secret: secret } = client
  return secret === undefined ? client : { ...client, client_secret: digestOf(secret) }
}

/** Whether `shown` is the secret of this client, which holds its digest. */
export function isSecretOf(this: { clientSecret?: string | undefined }, shown: string): boolean {
  const kept = Buffer.from(this.clientSecret ?? '')
  const found = Buffer.from(digestOf(shown))
  return kept.length === found.length && timingSafeEqual(kept, found)
}

/** A standalone connector as a client of the authorization server: it may only exchange tokens. */
function standaloneClient({ id, secret, resource }: StandaloneConnector): AdapterPayload {
  return withDigest({
    client_id: id,
    client_secret: secret,
    client_name: `the connector at ${resource}`,
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: [TOKEN_EXCHANGE],
    response_types: [],
    redirect_uris: [],
  })
}
