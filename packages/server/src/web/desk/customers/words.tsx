import { type AccountRow, isErased } from '../../../accounts/index.ts'
import type { Membership } from '../../../accounts/people/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { MOST_CONSEQUENCES } from '../../../operate/privacy/index.ts'
import { countOf } from '../../count.ts'
import { icon } from '../../icons.tsx'
import { dayOf, listTime } from '../../times.tsx'
import { copyButton } from '../../widgets/code.tsx'

/** `12 messages`, `more than 10,000 messages` */
export function some(count: number, one: string, many = `${one}s`): string {
  if (count > MOST_CONSEQUENCES) return `more than ${countOf(MOST_CONSEQUENCES)} ${many}`
  return `${countOf(count)} ${count === 1 ? one : many}`
}

export function stateOf(account: AccountRow, now: EpochMs): Markup {
  if (isErased(account)) return <span class="state idle">{icon('broken')}Erased</span>
  if (account.status === 'active') return <span class="state good">{icon('disc')}Active</span>
  return (
    <span class="state bad">
      {icon('octagon')}Suspended <span class="soft">since {listTime(account.statusAt, now)}</span>
    </span>
  )
}

/** The address of a customer's page, or of one below it. */
export function pathOf({ id }: Pick<AccountRow, 'id'>, below = ''): string {
  return `/customers/${encodeURIComponent(id)}${below}`
}

/** Says whose sign-in a link is for, where its address has one: no one has checked who took the address there. */
export function signInNote(email: string, signsInTo: readonly Membership[]): Markup | undefined {
  if (signsInTo.length === 0) return undefined
  return (
    <div class="note bad" role="alert">
      <p class="strong">
        <bdi>{email}</bdi> signs in here already
      </p>
      <ul>
        {signsInTo.map(({ accountId, name, role, since }) => (
          <li>
            since {dayOf(since)}, in account{' '}
            <a href={`/customers/${accountId}/people`}>
              <bdi>{name}</bdi>
            </a>
            , as {role}
          </li>
        ))}
      </ul>
      <p>
        That account let them in, and no one has checked that the address is theirs. The link works for this
        sign-in alone. If it is not your customer’s, remove them there first: then the link begins a new
        sign-in.
      </p>
    </div>
  )
}

export function secretBox(id: string, label: string, value: string): Markup {
  return (
    <>
      <p class="label" id={`${id}-label`}>
        {label}
      </p>
      <div class="code wrap">
        <pre id={id} aria-labelledby={`${id}-label`}>
          {value}
        </pre>
        {copyButton(id, `the ${label.toLowerCase()}`)}
      </div>
    </>
  )
}
