import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Connectors } from '../gateway/connectors.ts'
import type { OauthRecords } from '../gateway/oauth-records.ts'
import { withDigest } from './client-secret.ts'
import { connectorClient } from './connector-client.ts'
import { isNamedOpenly, recordKey } from './record-key.ts'

export interface AdapterOptions {
  records: OauthRecords
  connectors: Pick<Connectors, 'find'>
  /** The grant is over, and with it the connection that stands on it. */
  endGrant(grantId: string, reason: string): Promise<void>
}

const WHY_IT_ENDED = 'its tokens were revoked, or one of them was used twice'

/** The library's storage, on our records. */
export function createAdapter(model: string, { records, connectors, endGrant }: AdapterOptions): Adapter {
  const isNamed = isNamedOpenly(model)
  const keyOf = (id: string) => recordKey(model, id)

  return {
    async upsert(id, { jti, ...payload }, expiresIn) {
      await records.put({
        model,
        id: keyOf(id),
        payload: JSON.stringify(isNamed ? withDigest({ jti, ...payload }) : payload),
        grantId: payload.grantId ?? null,
        expiresAt: typeof payload.exp === 'number' && expiresIn ? payload.exp * 1_000 : 0,
      })
    },

    async find(id) {
      // Whoever asks writes the name of a client. PostgreSQL takes no zero character, and nothing is called by one.
      if (isNamed && id.includes('\0')) return undefined
      const connector = model === 'Client' ? await connectors.find(id) : undefined
      if (connector) return connectorClient(connector)
      const found = await records.find(model, keyOf(id))
      if (!found) return undefined
      const payload = JSON.parse(found.payload) as AdapterPayload
      return {
        ...payload,
        ...(isNamed ? {} : { jti: id }),
        ...(found.consumedAt > 0 ? { consumed: Math.floor(found.consumedAt / 1_000) } : {}),
      }
    },

    // An authorization ends the library's session, and devices don't sign in here: nobody asks for these.
    async findByUid() {},
    async findByUserCode() {},

    // The library looks before it consumes. Of those who looked at the same time, the first goes on; with the second
    // it is certain that one of them is a thief, and nobody knows which.
    async consume(id) {
      if (await records.consume(model, keyOf(id))) return
      const grantId = (await records.find(model, keyOf(id)))?.grantId
      if (grantId) await endGrant(grantId, WHY_IT_ENDED)
      throw new errors.InvalidGrant('already used')
    },

    async destroy(id) {
      if (model === 'Grant') await endGrant(id, WHY_IT_ENDED)
      else await records.remove(model, keyOf(id))
    },

    revokeByGrantId: (grantId) => records.removeOfGrant(model, grantId),
  }
}
