import { operations } from '@wigwag/contract/operations'
import { expectRefusal, needed } from '../answers.ts'
import { OPERATIONS, type OperationName, type Request } from '../caller.ts'
import { type Check, must } from '../check.ts'
import type { Session } from '../session.ts'

const NAMES = {
  sendSms: 'single',
  sendBulkSms: 'bulk',
  getTransactionStatus: 'status',
  getBalance: 'balance',
} as const

const FAULTS = [
  { id: 'needs-basic', words: 'without HTTP Basic', request: { basic: 'none' } },
  { id: 'needs-secret', words: 'with a wrong client secret', request: { basic: 'wrong' } },
  { id: 'needs-wallet', words: 'without X-Wallet', request: { wallet: 'none' } },
  { id: 'needs-token', words: 'with a wrong wallet token', request: { wallet: 'wrong' } },
] as const satisfies { id: string; words: string; request: Request }[]

/** The same request as one that was answered, but for the credentials. */
async function ask(session: Session, operation: OperationName, request: Request) {
  const { caller, run } = session
  const send = (kind: 'single' | 'bulk') =>
    session.refused({ body: session.body(kind, `${run}-refused`), ...request }, kind)
  switch (operation) {
    case 'getBalance':
      return caller.call(operation, request)
    case 'getTransactionStatus': {
      await needed(session.record('single'), 'status.answers')
      const { Ticket } = await session.result('single')
      return caller.call(operation, { ticket: String(Ticket), ...request })
    }
    case 'sendSms':
      await session.result('single')
      return send('single')
    case 'sendBulkSms':
      await session.results('bulk')
      return send('bulk')
  }
}

/** Section 5: each operation with a credential missing, and with a wrong one. */
export const credentials: readonly Check[] = OPERATIONS.flatMap((operation) =>
  FAULTS.filter(({ request }) => operations[operation].wallet || 'basic' in request).map(
    ({ id, words, request }) =>
      must(
        `${NAMES[operation]}.${id}`,
        '5',
        `${words}, the ${NAMES[operation]} operation is refused`,
        async (session) => expectRefusal(await ask(session, operation, request)),
      ),
  ),
)
