import { type AccountRow, accountsWith, findAccount } from '../../accounts/index.ts'
import { actorTyped, withNames } from '../../accounts/people/index.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { readSince, type Since } from '../../kernel/time/spans.ts'
import type { Markup } from '../../net/pages/markup.ts'
import type { Page as Rows } from '../../net/server/paging.ts'
import { type AuditRow, readAudit } from '../../store/audit/index.ts'
import { csvReply } from '../files.ts'
import { listTime } from '../times.tsx'
import { tableHead } from '../widgets/table.tsx'
import type { Pages } from './frame/pages.ts'
import { LOOK, type Page, type Visit } from './frame/visit.ts'
import type { DeskParts } from './parts.ts'

const SHOWN = 100
/** More rows than anybody reads, and few enough to be made at once. */
const MOST_IN_FILE = 10_000
const HEAD = ['Time', 'By', 'Action', 'Account', 'Detail']

/** Who did what: the newest, with filters in the address, and as a file. */
export function mountAudit(pages: Pages, { database, clock }: DeskParts): void {
  /** Undefined when an account or a time was asked for that is none. */
  async function rowsOf(typed: TypedFilter, limit: number, until?: EpochMs): Promise<AuditRow[] | undefined> {
    const since = sinceOf(typed)
    if (since === 'wrong') return undefined
    // PostgreSQL refuses a text with it, and no row has one.
    if (`${typed.by}${typed.action}`.includes('\0')) return []
    return database.read(async (tx) => {
      const account = typed.account === '' ? undefined : await findAccount(tx, typed.account)
      if (typed.account !== '' && !account) return undefined
      const filter = {
        accountId: account?.id,
        since: since?.(clock.now()),
        until,
        action: typed.action || undefined,
        actor: typed.by === '' ? undefined : await actorTyped(tx, typed.by),
      }
      return withNames(tx, await readAudit(tx, filter, limit))
    })
  }
  const typed = ({ c }: Visit) => typedFilter((name) => c.req.query(name))

  pages.show('/audit', LOOK, async (visit) => {
    const until = momentIn(visit.c.req.query('until'))
    const found = await rowsOf(typed(visit), SHOWN + 1, until)
    const rows = found && wholeMoments(found)
    const ids = (rows ?? []).flatMap(({ accountId }) => accountId ?? [])
    const accounts = await database.read((tx) => accountsWith(tx, [...new Set(ids)]))
    const isCut = rows !== undefined && rows.length < (found?.length ?? 0)
    return auditPage({ typed: typed(visit), rows, accounts, now: clock.now(), isCut, until })
  })
  pages.file('/audit/file.csv', LOOK, async (visit) => {
    const items = (await rowsOf(typed(visit), MOST_IN_FILE)) ?? []
    return csvReply({
      name: 'audit.csv',
      head: HEAD,
      read: async (): Promise<Rows<AuditRow>> => ({ items, next: undefined }),
      line: ({ at, actor, action, accountId, detail }) => [
        new Date(at).toISOString(),
        actor,
        action,
        accountId ?? '',
        JSON.stringify(detail),
      ],
    })
  })
}

export interface AuditView {
  typed: TypedFilter
  /** Undefined when an account or a time was asked for that is none. */
  rows: readonly AuditRow[] | undefined
  now: EpochMs
  /** The accounts that they name. */
  accounts: ReadonlyMap<string, AccountRow>
  /** Whether there are older ones. */
  isCut: boolean
  /** Where the page begins; undefined on the first. */
  until: EpochMs | undefined
}

/** A page of rows, without those of a moment of which it can't have all, so that the next page begins before a moment. */
function wholeMoments(found: readonly AuditRow[]): AuditRow[] {
  const next = found[SHOWN]
  const whole = found.slice(0, SHOWN).filter(({ at }) => at !== next?.at)
  return whole.length > 0 ? whole : found.slice(0, SHOWN)
}

function momentIn(typed: string | undefined): EpochMs | undefined {
  return typed !== undefined && /^\d{1,15}$/.test(typed) ? epochMs(Number(typed)) : undefined
}

const FIELDS = [
  {
    name: 'by',
    label: 'By',
    hint: 'such as operator:ada, person:ada@example.com, or operator for all of them',
  },
  { name: 'action', label: 'Action', hint: 'its beginning, such as wallet' },
  { name: 'account', label: 'Account', hint: 'its ID or e-mail' },
  { name: 'since', label: 'Since', hint: '6h, 2d, or a day such as 2026-11-20' },
] as const

function auditPage(view: AuditView): Page {
  const { typed, rows } = view
  const query = queryOf(typed)
  return {
    title: 'Audit',
    place: 'audit',
    body: (
      <>
        <div class="head">
          <h1>Audit</h1>
          {rows && rows.length > 0 && (
            <span class="end">
              <a class="button second" href={`/audit/file.csv${query}`}>
                Export CSV
              </a>
            </span>
          )}
        </div>
        {filters(view)}
        {rows && list(rows, view)}
      </>
    ),
    status: rows ? 200 : 422,
  }
}

function filters({ typed, rows }: AuditView): Markup {
  const wrong = sinceOf(typed) === 'wrong' ? 'since' : rows === undefined ? 'account' : undefined
  const expected = {
    since: `Expected 6h, 2d, or a day, got “${typed.since}”.`,
    account: `There is no account ${typed.account}.`,
  }
  return (
    <form class="sheet" method="get" action="/audit" role="search" aria-label="Audit log">
      <div class="filters">
        {FIELDS.map(({ name, label, hint }) => {
          const isWrong = wrong === name
          return (
            <div>
              <label for={name}>{label}</label>
              <input
                class="box"
                id={name}
                name={name}
                value={typed[name]}
                aria-describedby={`${name}-hint${isWrong ? ` ${name}-error` : ''}`}
                aria-invalid={isWrong ? 'true' : undefined}
              />
              <span class="hint" id={`${name}-hint`}>
                {hint}
              </span>
              {isWrong && (
                <span class="wrong" id={`${name}-error`}>
                  {expected[wrong]}
                </span>
              )}
            </div>
          )
        })}
      </div>
      <p class="together">
        <button>Show</button>
        {queryOf(typed) !== '' && <a href="/audit">Show everything</a>}
      </p>
    </form>
  )
}

function list(rows: readonly AuditRow[], { now, isCut, until, typed, accounts }: AuditView): Markup {
  if (rows.length === 0)
    return (
      <section class="sheet">
        <p>There is nothing of that kind.</p>
      </section>
    )
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Entries">
      <table>
        <caption class="unseen">Who did what, newest first</caption>
        {tableHead('Time', 'By', 'Action', 'Account', 'Detail')}
        <tbody>{rows.map((row) => line(row, now, typed, accounts))}</tbody>
      </table>
      {(isCut || until !== undefined) && (
        <div class="pages">
          {until !== undefined && <a href={`/audit${queryOf(typed)}`}>The newest</a>}
          {isCut && (
            <a class="end" href={`/audit${queryOf(typed, rows.at(-1)?.at)}`}>
              Older entries
            </a>
          )}
        </div>
      )}
    </section>
  )
}

/** Names lead to everything else of theirs. */
function line(
  { at, actor, action, accountId, detail }: AuditRow,
  now: EpochMs,
  typed: TypedFilter,
  accounts: AuditView['accounts'],
): Markup {
  const of = (changes: Partial<TypedFilter>) => `/audit${queryOf({ ...typed, ...changes })}`
  const words = Object.entries(detail).map(
    ([name, value]): Markup => (
      <>
        <span class="pair">
          <span class="soft">{name}</span> <bdi>{shownValue(value)}</bdi>
        </span>{' '}
      </>
    ),
  )
  return (
    <tr>
      <td class="num">{listTime(at, now)}</td>
      <td>
        <a href={of({ by: actor })}>
          <bdi>{actor}</bdi>
        </a>
      </td>
      <td>
        <a href={of({ action })}>
          <bdi>{action}</bdi>
        </a>
      </td>
      <td>
        {accountId === null
          ? '–'
          : accountLink(of({ account: accountId }), accountId, accounts.get(accountId))}
      </td>
      <td class="details">{words}</td>
    </tr>
  )
}

/** By its name; what was erased has its id alone. */
function accountLink(href: string, id: string, account: AccountRow | undefined): Markup {
  const name = account?.name ?? ''
  return (
    <a class={name === '' ? 'mono small' : undefined} href={href} title={id}>
      <bdi>{name === '' ? id : name}</bdi>
    </a>
  )
}

/** A value of a detail in words: lists and yes or no as people write them. */
function shownValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(shownValue).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === null) return 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The filter in the page's address, as typed. */
export interface TypedFilter {
  account: string
  by: string
  action: string
  since: string
}

function typedFilter(query: (name: string) => string | undefined): TypedFilter {
  const text = (name: string) => (query(name) ?? '').trim()
  return { account: text('account'), by: text('by'), action: text('action'), since: text('since') }
}

/** The address of a page with these filters. */
function queryOf(filter: TypedFilter, until?: EpochMs): string {
  const given = Object.entries({ ...filter, until: until === undefined ? '' : String(until) }).filter(
    ([, value]) => value !== '',
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** When the entries begin; `wrong` when that can't be read. */
function sinceOf({ since }: TypedFilter): Since | 'wrong' | undefined {
  return since === '' ? undefined : (readSince(since) ?? 'wrong')
}
