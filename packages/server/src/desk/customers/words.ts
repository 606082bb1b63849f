import { type AccountRow, isErased } from '../../accounts/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { countOf } from '../../pages/count.ts'
import { icon } from '../../pages/icons.ts'
import { listTime } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { MOST_CONSEQUENCES } from '../../privacy/index.ts'

/** `12 messages`, `more than 10,000 messages` */
export function some(count: number, one: string, many = `${one}s`): string {
  if (count > MOST_CONSEQUENCES) return `more than ${countOf(MOST_CONSEQUENCES)} ${many}`
  return `${countOf(count)} ${count === 1 ? one : many}`
}

export function stateOf(account: AccountRow, now: EpochMs): Markup {
  if (isErased(account)) return markup`<span class="state idle">${icon('broken')}Erased</span>`
  if (account.status === 'active') return markup`<span class="state good">${icon('disc')}Active</span>`
  return markup`<span class="state bad">${icon('octagon')}Suspended <span class="soft">since ${listTime(account.statusAt, now)}</span></span>`
}

/** The address of a customer's page, or of one below it. */
export function pathOf({ id }: Pick<AccountRow, 'id'>, below = ''): string {
  return `/customers/${encodeURIComponent(id)}${below}`
}
