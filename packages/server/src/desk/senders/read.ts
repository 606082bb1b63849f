import {
  countWaitingSenders,
  type NamedSender,
  type SenderPlace,
  senderStart,
  sendersAlike,
  waitingSenders,
} from '../../accounts/index.ts'
import { epochMs } from '../../domain/ids.ts'
import type { Tx } from '../../platform/database/database.ts'

const ROWS = 50
/** How many that look alike are named; the others are counted. */
const MOST_NAMED = 5

export interface Waiting {
  row: NamedSender
  alike: NamedSender[]
  /** Those that are not named. */
  moreAlike: number
}

export interface WaitingList {
  items: Waiting[]
  count: number
  /** Where the next page begins; undefined on the last. */
  next: string | undefined
}

/** What waits, from a place on, each with those that look alike, of anybody. */
export async function readWaiting(tx: Tx, after: string | undefined): Promise<WaitingList> {
  const found = await waitingSenders(tx, { after: placeIn(after), limit: ROWS + 1 })
  const rows = found.slice(0, ROWS)
  const alike = await sendersAlike(
    tx,
    rows.map(({ sender }) => sender),
  )
  const last = rows.at(-1)
  return {
    items: rows.map((row) => {
      const others = alike.filter((other) => isAlike(row, other))
      return { row, alike: others.slice(0, MOST_NAMED), moreAlike: Math.max(0, others.length - MOST_NAMED) }
    }),
    count: await countWaitingSenders(tx),
    next: found.length > ROWS && last ? written(last) : undefined,
  }
}

/** Whether another one could be taken for this. The same one of the same account is no other. */
function isAlike(row: NamedSender, other: NamedSender): boolean {
  if (row.accountId === other.accountId && row.sender === other.sender) return false
  if (row.sender.toLowerCase() === other.sender.toLowerCase()) return true
  return !/^\d+$/.test(row.sender) && senderStart(row.sender) === senderStart(other.sender)
}

function written({ createdAt, accountId, sender }: SenderPlace): string {
  return `${createdAt} ${accountId} ${sender}`
}

function placeIn(text: string | undefined): SenderPlace | undefined {
  const [, createdAt, accountId, sender] = /^(\d{1,15}) ([\w-]{1,40}) ([\w ]{1,15})$/.exec(text ?? '') ?? []
  if (createdAt === undefined || accountId === undefined || sender === undefined) return undefined
  return { createdAt: epochMs(Number(createdAt)), accountId, sender }
}
