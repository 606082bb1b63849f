import type { AuditRow } from '../../audit/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { listTime } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page } from '../frame/visit.ts'
import { queryOf, sinceOf, type TypedFilter } from './filter.ts'

export interface AuditView {
  typed: TypedFilter
  /** Undefined when an account or a time was asked for that is none. */
  rows: readonly AuditRow[] | undefined
  now: EpochMs
  /** Whether there may be more than are shown. */
  isCut: boolean
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

export function auditPage(view: AuditView): Page {
  const { typed, rows } = view
  const query = queryOf(typed)
  return {
    title: 'Audit',
    place: 'audit',
    body: markup`<div class="head"><h1>Audit</h1>${rows && rows.length > 0 && markup`<span class="end"><a class="button second" href="/audit/file.csv${query}">Download CSV</a></span>`}</div>
${filters(view)}
${rows && list(rows, view)}`,
    status: rows ? 200 : 422,
  }
}

function filters({ typed, rows }: AuditView): Markup {
  const wrong = sinceOf(typed) === 'wrong' ? 'since' : rows === undefined ? 'account' : undefined
  const expected = {
    since: `Expected 6h, 2d, or a day, got “${typed.since}”.`,
    account: `There is no account ${typed.account}.`,
  }
  return markup`<form class="sheet" method="get" action="/audit" role="search" aria-label="Audit log"><div class="filters">${FIELDS.map(
    ({ name, label, hint }) => {
      const isWrong = wrong === name
      return markup`<div><label for="${name}">${label}</label><input class="box" id="${name}" name="${name}" value="${typed[name]}" aria-describedby="${name}-hint${isWrong && ` ${name}-error`}"${isWrong && markup` aria-invalid="true"`}><span class="hint" id="${name}-hint">${hint}</span>${isWrong && markup`<span class="wrong" id="${name}-error">${expected[wrong]}</span>`}</div>`
    },
  )}</div><p class="together"><button>Show</button>${queryOf(typed) !== '' && markup`<a href="/audit">Show everything</a>`}</p></form>`
}

function list(rows: readonly AuditRow[], { now, isCut, typed }: AuditView): Markup {
  if (rows.length === 0) return markup`<section class="sheet"><p>There is nothing of that kind.</p></section>`
  return markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Entries"><table><caption class="unseen">Who did what, newest first</caption><thead><tr><th scope="col">Time</th><th scope="col">By</th><th scope="col">Action</th><th scope="col">Account</th><th scope="col">Detail</th></tr></thead><tbody>${rows.map((row) => line(row, now, typed))}</tbody></table></section>
${isCut && markup`<p class="soft">These are the newest ${rows.length}. The file has more.</p>`}`
}

/** Names lead to everything else of theirs. */
function line({ at, actor, action, accountId, detail }: AuditRow, now: EpochMs, typed: TypedFilter): Markup {
  const of = (changes: Partial<TypedFilter>) => `/audit${queryOf({ ...typed, ...changes })}`
  const words = Object.entries(detail).map(
    ([name, value]): Markup =>
      markup`<span class="pair"><span class="soft">${name}</span> <bdi>${typeof value === 'string' ? value : JSON.stringify(value)}</bdi></span> `,
  )
  return markup`<tr><td class="num">${listTime(at, now)}</td><td><a href="${of({ by: actor })}"><bdi>${actor}</bdi></a></td><td><a href="${of({ action })}"><bdi>${action}</bdi></a></td><td>${accountId === null ? '–' : markup`<a class="mono small" href="${of({ account: accountId })}">${accountId}</a>`}</td><td class="details">${words}</td></tr>`
}
