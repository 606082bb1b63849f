import { epochMs, type Ticket } from '../../../src/kernel/ids.ts'
import type { ListedMessage } from '../../../src/web/console/messages/list.tsx'
import { messageRow } from '../../history/message-rows.ts'

const WALLET = { id: 'w', accountId: 'a' }

/** A pending message of a list. Later ones have higher numbers. */
export function listed(
  number: number,
  { callback, attempts = 0, ...changes }: Partial<ListedMessage> = {},
): ListedMessage {
  const row = messageRow(WALLET, {
    id: `${String(number).padStart(8, '0')}-0000-7000-8000-000000000000` as Ticket,
    createdAt: epochMs(1_700_000_000_000 + number),
    status: 'pending',
    ...changes,
  })
  return { ...row, callback, attempts, by: undefined }
}
