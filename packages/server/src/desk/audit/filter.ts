import { readSince, type Since } from '../../domain/since.ts'

/** What the address of the page asks for, as it was written. */
export interface TypedFilter {
  account: string
  by: string
  action: string
  since: string
}

export function typedFilter(query: (name: string) => string | undefined): TypedFilter {
  const text = (name: string) => (query(name) ?? '').trim()
  return { account: text('account'), by: text('by'), action: text('action'), since: text('since') }
}

/** The address of a page with these filters. */
export function queryOf(filter: TypedFilter): string {
  const given = Object.entries(filter).filter(([, value]) => value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** When the entries begin; `wrong` when that can't be read. */
export function sinceOf({ since }: TypedFilter): Since | 'wrong' | undefined {
  return since === '' ? undefined : (readSince(since) ?? 'wrong')
}
