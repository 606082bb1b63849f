import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { StandaloneConnectors } from '../standalone.ts'
import { standaloneClient, withDigest } from './client-rules.ts'
import { isNamedOpenly, type OauthRecords, recordKey } from './records.ts'

export interface AdapterOptions {
  records: OauthRecords
  standalone: Pick<StandaloneConnectors, 'find'>
  /** Ends the connection that the library's grant belongs to. */
  endByGrant(grantId: string, reason: string): Promise<void>
}

const WHY_IT_ENDED = 'its tokens were revoked, or one of them was used twice'

/** The library's storage adapter for one model. */
export function createAdapter(model: string, { records, standalone, endByGrant }: AdapterOptions): Adapter {
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
      // A client id comes from the request. PostgreSQL accepts no zero character, and no id contains one.
      if (isNamed && id.includes('\0')) return undefined
      const connector = model === 'Client' ? await standalone.find(id) : undefined
      if (connector) return standaloneClient(connector)
      const found = await records.find(model, keyOf(id))
      if (!found) return undefined
      const payload = JSON.parse(found.payload) as AdapterPayload
      return {
        ...payload,
        ...(isNamed ? {} : { jti: id }),
        ...(found.consumedAt > 0 ? { consumed: Math.floor(found.consumedAt / 1_000) } : {}),
      }
    },

    // Never called: the library's session ends with each authorization, and there is no device flow.
    async findByUid() {},
    async findByUserCode() {},

    // The library reads a record before it consumes it. Only the first of concurrent callers goes on. A second one
    // means that the code or token was stolen, and either may be the thief, so the connection ends.
    async consume(id) {
      if (await records.consume(model, keyOf(id))) return
      const grantId = (await records.find(model, keyOf(id)))?.grantId
      if (grantId) await endByGrant(grantId, WHY_IT_ENDED)
      throw new errors.InvalidGrant('already used')
    },

    async destroy(id) {
      if (model === 'Grant') await endByGrant(id, WHY_IT_ENDED)
      else await records.remove(model, keyOf(id))
    },

    revokeByGrantId: (grantId) => records.removeOfGrant(model, grantId),
  }
}
