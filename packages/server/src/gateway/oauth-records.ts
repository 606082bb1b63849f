import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import {
  consumeRecord,
  type FoundRecord,
  findRecord,
  type OauthRecord,
  putRecord,
  removeOfGrant,
  removeRecord,
} from '../store/oauth-records.ts'

/** What the authorization server keeps, on whichever engine. */
export interface OauthRecords {
  put(record: OauthRecord): Promise<void>
  find(model: string, id: string): Promise<FoundRecord | undefined>
  /** Whether it is the first time that the record is used: of several at once, one is told so. */
  consume(model: string, id: string): Promise<boolean>
  remove(model: string, id: string): Promise<void>
  removeOfGrant(model: string, grantId: string): Promise<void>
}

export function createOauthRecords({ database, clock }: { database: Database; clock: Clock }): OauthRecords {
  return {
    put: (record) => database.write((connection) => putRecord(connection, record, clock.now())),
    find: (model, id) => database.read((connection) => findRecord(connection, model, id)),
    consume: (model, id) => database.write((connection) => consumeRecord(connection, model, id, clock.now())),
    remove: (model, id) => database.write((connection) => removeRecord(connection, model, id)),
    removeOfGrant: (model, grantId) =>
      database.write((connection) => removeOfGrant(connection, model, grantId)),
  }
}
