import type Provider from 'oidc-provider'
import type { Outbound } from '../../net/outbound/port.ts'
import type { ActiveConnection } from '../connections.ts'
import type { ClientDocuments } from './clients.ts'
import type { HourlyLimits } from './hourly-limits.ts'
import type { OauthKeyring } from './keys.ts'
import type { ProviderHost } from './provider.ts'
import { opensSomething, SEND } from './scopes.ts'

/** An assistant as its token stands now. */
interface Assistant {
  connection: string
  accountId: string
  canSend: boolean
  unasked: ActiveConnection['unasked']
  lastUsedAt: number
  expiresAt: number
}

type Own = Omit<ProviderHost, 'keys' | 'documents' | 'check'> & {
  keyring: Pick<OauthKeyring, 'current'>
  /** Fetches client ID metadata documents. */
  outbound: Outbound
  limits?: Partial<HourlyLimits> | undefined
}

/** After this time at most, this process sees keys that another one changed. */
const CHECK_MS = 1_000

/**
 * Loads the library when it is first needed, and opens it again when the keys change. It takes as long to load as the
 * rest of the gateway, so what is imported from elsewhere in this folder must not import it.
 */
export class AuthorizationServer {
  readonly #own: Own
  #opened: { version: string; provider: Provider; checkedAt: number } | undefined
  #documents: ClientDocuments | undefined
  #refreshing: Promise<Provider> | undefined

  constructor(own: Own) {
    this.#own = own
  }

  async provider(): Promise<Provider> {
    const opened = this.#opened
    if (opened && this.#own.clock.elapsed() - opened.checkedAt < CHECK_MS) return opened.provider
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #refresh(): Promise<Provider> {
    const checkedAt = this.#own.clock.elapsed()
    const keys = await this.#own.keyring.current()
    if (this.#opened?.version === keys.version) this.#opened.checkedAt = checkedAt
    else {
      const [{ openProvider }, { ClientDocuments: Documents }] = await Promise.all([
        import('./provider.ts'),
        import('./clients.ts'),
      ])
      this.#documents ??= new Documents(this.#own)
      const documents = this.#documents
      const provider = openProvider({ ...this.#own, check: this.check, keys, documents })
      this.#opened = { version: keys.version, provider, checkedAt }
    }
    return this.#opened.provider
  }

  /** Checks a token at a resource; undefined when it is unknown, expired, revoked or issued for another resource. */
  readonly check = async (token: string, resource: string): Promise<Assistant | undefined> => {
    const { AccessToken } = await this.provider()
    const found = await AccessToken.find(token)
    if (!found?.grantId || found.aud !== resource || !opensSomething(found.scopes)) return undefined
    // The connection decides, not the token, so that revoking it or suspending the account takes effect at once.
    const connection = await this.#own.connections.byGrant(found.grantId)
    if (!connection) return undefined
    return {
      connection: connection.id,
      accountId: connection.accountId,
      canSend: connection.canSend && found.scopes.has(SEND),
      unasked: connection.unasked,
      lastUsedAt: connection.lastUsedAt,
      expiresAt: (found.exp ?? 0) * 1_000,
    }
  }
}
