import { toDecimal } from '@wigwag/contract'
import type { Cell } from '../../domain/csv.ts'
import type { MessageRow } from '../../messages/index.ts'
import { instant } from '../../platform/http/paging.ts'

/** What waits, as a file. */
export const scheduledFile = {
  name: 'scheduled.csv',
  head: ['send_at', 'ticket', 'from', 'to', 'text', 'reference', 'segments', 'held', 'created'],
  line: ({
    sendAt,
    id,
    sender,
    recipient,
    content,
    reference,
    segments,
    price,
    createdAt,
  }: MessageRow): Cell[] => [
    instant(sendAt),
    id,
    sender,
    recipient,
    content,
    reference,
    segments,
    toDecimal(price),
    instant(createdAt),
  ],
}
