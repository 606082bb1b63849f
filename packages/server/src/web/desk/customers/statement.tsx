import type { AccountRow } from '../../../accounts/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { readSince } from '../../../kernel/time/spans.ts'
import { type StatementLine, statementLines, type WalletRow, walletsOf } from '../../../money/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { listTime } from '../../times.tsx'
import { money } from '../../widgets/money.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import type { Pages } from '../frame/pages.ts'
import { LOOK, type Page } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { noCustomer, onCustomer } from './one-customer.tsx'
import { pathOf } from './words.tsx'

/** Entries on a page. */
const ROWS = 50

export function mountStatement(pages: Pages, { database, clock }: DeskParts): void {
  pages.show(
    '/customers/:id/statement',
    LOOK,
    onCustomer({ database }, async (account, { c }) => {
      const asked = { since: (c.req.query('since') ?? '').trim(), before: c.req.query('before') ?? '' }
      const since = asked.since === '' ? undefined : readSince(asked.since)
      const isWrong = asked.since !== '' && since === undefined
      const now = clock.now()
      return database.read(async (tx) => {
        const [wallet] = await walletsOf(tx, account.id)
        if (!wallet) return noCustomer()
        const before = /^\d{1,15}$/.test(asked.before) ? Number(asked.before) : undefined
        const lines = isWrong
          ? []
          : await statementLines(tx, wallet, { since: since?.(now), before, limit: ROWS + 1 })
        const hasMore = lines.length > ROWS
        return statementPage({ account, wallet, lines: lines.slice(0, ROWS), hasMore, asked, isWrong, now })
      })
    }),
  )
}

const WORDS = { credit: 'Added', debit: 'Taken back', charge: 'Charged' }

interface StatementView {
  account: AccountRow
  wallet: WalletRow
  lines: readonly StatementLine[]
  /** Whether there are older ones. */
  hasMore: boolean
  /** The address's parameters, as typed. */
  asked: { since: string; before: string }
  /** Whether the time can't be read. */
  isWrong: boolean
  now: EpochMs
}

function statementPage(view: StatementView): Page {
  const { account, wallet, lines, hasMore, asked, isWrong, now } = view
  const at = (query: Record<string, string>) => {
    const given = new URLSearchParams({ ...(asked.since !== '' && { since: asked.since }), ...query })
    return `${pathOf(account, '/statement')}${given.size === 0 ? '' : `?${given}`}`
  }
  const last = lines.at(-1)
  return {
    title: 'Statement',
    place: 'customers',
    status: isWrong ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>
            Statement of <bdi>{account.name}</bdi>
          </h1>
          <span class="end">
            <a href={pathOf(account)}>Back to the customer</a>
          </span>
        </div>
        <form class="sheet" method="get" action={pathOf(account, '/statement')}>
          <label for="since">Since</label>
          <span class="hint" id="since-hint">
            6h, 2d, a day such as 2026-11-20, or a time in UTC; empty for everything
          </span>
          {isWrong && (
            <span class="wrong" id="since-error">
              Expected 6h, 2d, or a day, got “{asked.since}”.
            </span>
          )}
          <div class="together">
            <input
              class="box search"
              id="since"
              name="since"
              value={asked.since}
              aria-describedby={`since-hint${isWrong ? ' since-error' : ''}`}
              aria-invalid={isWrong ? 'true' : undefined}
              autocomplete="off"
            />
            <button>Show</button>
          </div>
        </form>
        {isWrong ? (
          ''
        ) : lines.length === 0 ? (
          <section class="sheet">
            <p>Nothing was added, taken back or charged in that time.</p>
          </section>
        ) : (
          <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Entries">
            {entriesTable(lines, wallet, now)}
            {(hasMore || asked.before !== '') && (
              <div class="pages">
                {asked.before !== '' && <a href={at({})}>Newest entries</a>}
                {hasMore && last && (
                  <a class="end" href={at({ before: String(last.seq) })}>
                    Older entries
                  </a>
                )}
              </div>
            )}
          </section>
        )}
      </>
    ),
  }
}

export function entriesTable(lines: readonly StatementLine[], { currency }: WalletRow, now: EpochMs): Markup {
  return (
    <table>
      <caption class="unseen">Statement, newest first</caption>
      {tableHead('Time', 'What', num('Amount'), num('Posted balance'), 'Reference or ticket')}
      <tbody>
        {lines.map(({ createdAt, kind, amount, balanceAfter, reference, messageId }) => (
          <tr>
            <td class="num left">{listTime(createdAt, now)}</td>
            <td>{WORDS[kind]}</td>
            <td class="num">
              {kind === 'credit' ? '+' : '−'} {money(amount, currency)}
            </td>
            <td class="num">{money(balanceAfter, currency)}</td>
            <td>
              {reference === undefined ? (
                messageId !== null && <span class="mono small">{messageId}</span>
              ) : (
                <bdi>{reference}</bdi>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
