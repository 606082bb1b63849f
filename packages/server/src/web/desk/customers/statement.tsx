import type { AccountRow } from '../../../accounts/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { readSince, readUntil } from '../../../kernel/time/spans.ts'
import {
  type Period,
  STATEMENT_COLUMNS,
  type StatementLine,
  statementCells,
  statementLines,
  type WalletRow,
  walletsOf,
} from '../../../money/index.ts'
import { field } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo, type PageContext } from '../../../net/pages/reply.ts'
import { csvReply } from '../../files.ts'
import { listTime } from '../../times.tsx'
import { changeOf, money } from '../../widgets/money.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import type { Pages } from '../frame/pages.ts'
import { LOOK, type Page } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { noCustomer, onCustomer } from './one-customer.tsx'
import { pathOf } from './words.tsx'

/** Entries on a page, and those that a file is read by. */
const ROWS = 50
const SLICE = 500

export function mountStatement(pages: Pages, { database, clock }: DeskParts): void {
  pages.show(
    '/customers/:id/statement',
    LOOK,
    onCustomer({ database }, async (account, { c }) => {
      const asked = askedIn(c)
      const now = clock.now()
      const { period, wrong } = readPeriod(asked, now)
      return database.read(async (tx) => {
        const [wallet] = await walletsOf(tx, account.id)
        if (!wallet) return noCustomer()
        const before = /^\d{1,15}$/.test(asked.before) ? Number(asked.before) : undefined
        const lines = period ? await statementLines(tx, wallet, { ...period, before, limit: ROWS + 1 }) : []
        const hasMore = lines.length > ROWS
        return statementPage({ account, wallet, lines: lines.slice(0, ROWS), hasMore, asked, wrong, now })
      })
    }),
  )

  pages.file(
    '/customers/:id/statement.csv',
    LOOK,
    onCustomer({ database }, async (account, { c }) => {
      const { period } = readPeriod(askedIn(c), clock.now())
      const [wallet] = await database.read((tx) => walletsOf(tx, account.id))
      if (!wallet || !period) return goTo(pathOf(account, `/statement${new URL(c.req.url).search}`))
      return csvReply<StatementLine>({
        name: `statement-${account.id}.csv`,
        head: STATEMENT_COLUMNS,
        read: async (cursor) => {
          // Entries that are made meanwhile are not in it: it ends where the wallet was.
          const before = cursor === undefined ? wallet.entries + 1 : Number(cursor)
          const items = await database.read((tx) =>
            statementLines(tx, wallet, { ...period, before, limit: SLICE }),
          )
          return { items, next: items.length === SLICE ? String(items.at(-1)?.seq) : undefined }
        },
        line: (line) => statementCells(line, wallet.currency),
      })
    }),
  )
}

/** The address's parameters, as typed. */
interface Asked {
  since: string
  until: string
  before: string
}

function askedIn(c: PageContext): Asked {
  const query = (name: keyof Asked) => (c.req.query(name) ?? '').trim()
  return { since: query('since'), until: query('until'), before: query('before') }
}

type WrongPeriod = Partial<Record<'since' | 'until', string>>

/** The period that is asked for; undefined with a time that can't be read. */
function readPeriod(
  { since, until }: Asked,
  now: EpochMs,
): { period: Period | undefined; wrong: WrongPeriod } {
  const [from, to] = [readSince(since)?.(now), readUntil(until)?.(now)]
  const wrong: WrongPeriod = {
    ...(since !== '' && from === undefined && { since: expected(since) }),
    ...(until !== '' && to === undefined && { until: expected(until) }),
  }
  if (from !== undefined && to !== undefined && to <= from)
    wrong.until = 'Expected a time after the first one.'
  const isRight = Object.keys(wrong).length === 0
  return { period: isRight ? { since: from, until: to } : undefined, wrong }
}

function expected(typed: string): string {
  return `Expected 6h, 2d, or a day, got “${typed}”.`
}

const WORDS = { credit: 'Added', debit: 'Taken back', charge: 'Charged' }

interface StatementView {
  account: AccountRow
  wallet: WalletRow
  lines: readonly StatementLine[]
  /** Whether there are older ones. */
  hasMore: boolean
  asked: Asked
  wrong: WrongPeriod
  now: EpochMs
}

function statementPage(view: StatementView): Page {
  const { account, wallet, lines, hasMore, asked, wrong, now } = view
  const isWrong = Object.keys(wrong).length > 0
  const at = (query: Record<string, string>, path = '/statement') => {
    const given = new URLSearchParams({
      ...(asked.since !== '' && { since: asked.since }),
      ...(asked.until !== '' && { until: asked.until }),
      ...query,
    })
    return `${pathOf(account, path)}${given.size === 0 ? '' : `?${given}`}`
  }
  const time = (name: 'since' | 'until', label: string, hint: string) =>
    field({ id: name, label, hint, error: wrong[name] }, (ties) => (
      <input class="box" {...ties} name={name} value={asked[name]} autocomplete="off" spellcheck={false} />
    ))
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
            {!isWrong && (
              <a class="button second" href={at({}, '/statement.csv')} download>
                Download CSV
              </a>
            )}
            <a href={pathOf(account)}>Back to the customer</a>
          </span>
        </div>
        <form class="sheet" method="get" action={pathOf(account, '/statement')}>
          {time('since', 'Since', '6h, 2d, a day such as 2026-11-20, or a time in UTC; empty for everything')}
          {time('until', 'Until', 'The same; a day is meant to its end; empty for now')}
          <p>
            <button>Show</button>
          </p>
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
            <td class="num">{changeOf(amount, kind === 'credit', currency)}</td>
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
