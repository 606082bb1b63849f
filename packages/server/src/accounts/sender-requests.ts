import { auditWrites } from '../audit/index.ts'
import { Problem } from '../domain/errors.ts'
import type { EpochMs } from '../domain/ids.ts'
import { checkSender } from '../domain/sender.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Principal } from '../platform/http/principal.ts'
import { addSender, type SenderRow, sendersOf } from './accounts.ts'

/** The sender IDs of an account, and requests for more. */
export interface SenderRequests {
  list(accountId: string): Promise<SenderRow[]>
  /** Asks for a sender ID. One that is there already stays as it is. */
  request(principal: Principal, sender: string): Promise<SenderRow>
}

export interface SenderRequestsParts {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
}

/** An operator reads each of them. */
const MOST_WAITING = 20

export function createSenderRequests({ database, clock, newId }: SenderRequestsParts): SenderRequests {
  return {
    list: (accountId) => database.read((tx) => sendersOf(tx, accountId)),

    async request(principal, sender) {
      checkSender(sender)
      const { accountId } = principal
      return database.write(async (tx) => {
        const now = clock.now()
        const added = await addSender(tx, { accountId, sender, status: 'pending', createdAt: now })
        const all = await sendersOf(tx, accountId)
        const found = all.find((row) => row.sender === sender)
        if (!found) throw new Error(`the sender ID ${sender} is not there after it was asked for`)
        if (!added) return found
        if (all.filter(({ status }) => status === 'pending').length > MOST_WAITING) throw tooMany()
        const write = {
          principal,
          operation: 'requestSenderId',
          outcome: 'done',
          about: sender,
          always: true,
        }
        await auditWrites(tx, [write], now, newId)
        return found
      })
    },
  }
}

function tooMany(): Problem {
  const detail = `Expected at most ${MOST_WAITING} sender IDs that wait for approval: ask the operator to decide on some.`
  return new Problem('too_many', detail)
}
