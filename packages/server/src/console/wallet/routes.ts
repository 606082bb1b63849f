import { type Micros, toDecimal } from '@wigwag/contract'
import { Problem } from '../../domain/errors.ts'
import { csvReply } from '../../pages/csv.ts'
import { instant } from '../../platform/http/paging.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { readStanding } from './figures.ts'
import { type LedgerErrors, readLedgerFilter, type TypedLedgerFilter } from './ledger-filter.ts'
import { whatWas } from './list.ts'
import { walletPage } from './page.ts'
import { createReadLedger, type LedgerLine, type LedgerPage } from './read.ts'

const ROWS = 60
/** Rows that a file is read by. */
const SLICE = 500

/** What is in the wallet and how it came about, as a page and as a file. */
export function mountWallet(pages: Pages, parts: ConsoleParts): void {
  const { clock, sandbox } = parts
  const readLedger = createReadLedger(parts)

  async function walletAnswer(
    { principal, person, may }: Visit,
    typed: TypedLedgerFilter,
    found: LedgerPage | { errors: LedgerErrors },
    cursor?: string,
  ) {
    const body = walletPage({
      standing: await readStanding(parts, principal),
      typed,
      cursor,
      found,
      now: clock.now(),
      account: { id: person.accountId, name: person.name },
      mayBuild: may('build'),
      sandbox: sandbox !== undefined,
    })
    const status = 'errors' in found ? 422 : 200
    return { title: 'Wallet', place: 'wallet', middle: true, status, body } as const
  }

  pages.show('/wallet', 'read', async (visit) => {
    const typed = typedFilterOf(visit)
    const cursor = visit.c.req.query('cursor')
    const read = readLedgerFilter(typed)
    const found =
      'errors' in read
        ? read
        : await readLedger(visit.principal, read.wanted, { cursor, limit: ROWS }).catch(asErrors)
    return walletAnswer(visit, typed, found, cursor)
  })

  pages.file('/wallet.csv', 'read', async (visit) => {
    const typed = typedFilterOf(visit)
    const read = readLedgerFilter(typed)
    if ('errors' in read) return walletAnswer(visit, typed, read)
    return csvReply<LedgerLine>({
      name: 'wallet.csv',
      head: ['time', 'what', 'ticket', 'to', 'amount', 'before', 'after'],
      read: (cursor) => readLedger(visit.principal, read.wanted, { cursor, limit: SLICE }),
      line: lineOf,
    })
  })
}

function typedFilterOf({ c }: Visit): TypedLedgerFilter {
  const query = (name: keyof TypedLedgerFilter) => c.req.query(name)?.trim() ?? ''
  return { q: query('q'), from: query('from'), to: query('to') }
}

/** Charges are negative, so that before and amount add up to after. */
function lineOf(line: LedgerLine) {
  const { kind, amount, balanceBefore, balanceAfter, messageId, message, createdAt } = line
  const added = kind === 'credit'
  return [
    instant(createdAt),
    whatWas(line).toLowerCase(),
    messageId ?? undefined,
    message?.recipient,
    signed(amount, added),
    toDecimal(balanceBefore),
    toDecimal(balanceAfter),
  ]
}

function signed(amount: Micros, added: boolean): number {
  return added ? toDecimal(amount) : -toDecimal(amount)
}

/** A cursor of another list is refused. */
function asErrors(error: unknown): { errors: LedgerErrors } {
  if (error instanceof Problem && error.code === 'invalid_value') {
    return { errors: { cursor: 'This is not the address of a page of this ledger.' } }
  }
  throw error
}
