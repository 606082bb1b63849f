import type { Database } from '../platform/database/database.ts'
import type { Handler } from '../platform/http/handler.ts'
import { instant } from '../platform/http/wire.ts'
import { sendersOf } from './accounts.ts'

export function listSenderIds(database: Database): Handler<'listSenderIds'> {
  return async ({ principal: { accountId } }) => {
    const senders = await database.read((tx) => sendersOf(tx, accountId))
    const items = senders.map(({ sender, status, createdAt }) => ({
      SenderId: sender,
      Status: status,
      DateCreated: instant(createdAt),
    }))
    return { body: { Items: items } }
  }
}
