import type { AccountRow } from '../../../accounts/index.ts'
import {
  type InvitationRow,
  type Member,
  type Membership,
  ROLE_WORDS,
  ROLES,
} from '../../../accounts/people/index.ts'
import { field } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import type { Role } from '../../../store/schema/schema.ts'
import { several } from '../../count.ts'
import { dayAndTime, dayOf } from '../../times.tsx'
import { amountOf } from '../../widgets/money.tsx'
import { hiddenFields } from '../frame/form.tsx'
import type { Page, Visit } from '../frame/visit.ts'
import { pathOf, secretBox, signInNote } from './words.tsx'

export interface PeopleView {
  account: AccountRow
  visit: Visit
  members: readonly Member[]
  invited: readonly InvitationRow[]
  /** The link that was just made. It is shown once. With where its address signs in already. */
  link?: { email: string; url: string; signsInTo: readonly Membership[] } | undefined
  done?: string | undefined
  wrong?: string | undefined
}

const DONE: Readonly<Record<string, string>> = {
  role: 'The new role is in force.',
  removed: 'They have no way in any more, and neither have their assistants.',
  withdrawn: 'The invitation is taken back.',
  on: 'The next sign-in of everybody leads through a second factor.',
  off: 'A password alone is enough again, where there is no second factor.',
}

/** The people of a customer: who they are, and what an operator does about them. */
export function peoplePage(view: PeopleView): Page {
  const { account, visit, members, link, done, wrong } = view
  const said = done === undefined ? undefined : DONE[done]
  const acts = visit.operator.role === 'act'
  return {
    title: 'People',
    place: 'customers',
    middle: true,
    status: wrong === undefined ? 200 : 422,
    body: (
      <>
        <div class="head">
          <a class="back" href={pathOf(account)}>
            <span aria-hidden="true">← </span>
            <bdi>{account.name}</bdi>
          </a>
          <h1>People</h1>
        </div>
        {said !== undefined && (
          <div class="note good" role="status">
            <p>{said}</p>
          </div>
        )}
        {wrong !== undefined && (
          <div class="note bad" role="alert">
            <p>{wrong}</p>
          </div>
        )}
        {link && (
          <section class="sheet" role="status">
            <p class="strong">
              Give this link to <bdi>{link.email}</bdi>. It is shown this once, and good once, for three days.
            </p>
            {secretBox('link', 'The link', link.url)}
            {signInNote(link.email, link.signsInTo)}
          </section>
        )}
        {members.map((member) => memberSheet(member, view, acts))}
        {view.invited.length > 0 && waiting(view, acts)}
        {acts && inviteSheet(view)}
        {factorSheet(view, acts)}
      </>
    ),
  }
}

function memberSheet(member: Member, { account, visit }: PeopleView, acts: boolean): Markup {
  const { personId, email, role, since, sessions, assistants } = member
  const id = `p-${personId}`
  const post = (what: string, inside: Markup) => (
    <form method="post" action={pathOf(account, `/people/${what}`)} class="fold">
      {hiddenFields(visit.form, { email })}
      {inside}
    </form>
  )
  return (
    <section class="sheet" aria-labelledby={id}>
      <h2 id={id}>
        <bdi>{email}</bdi>
      </h2>
      <p>
        <strong>{role}</strong>: {ROLE_WORDS[role]}.<br />
        <span class="soft small">
          Since {dayOf(since)} · signs in with {meansOf(member)} · {several(sessions, 'session')},{' '}
          {several(assistants, 'assistant')}
          {limitsOf(member)}
        </span>
      </p>
      {acts && (
        <div class="folds">
          <details>
            <summary>Change the role</summary>
            {post(
              'role',
              <>
                {roleField(`${id}-role`, role)}
                <p>
                  <button>Change it</button>
                </p>
              </>,
            )}
          </details>
          <details>
            <summary>Reset what they sign in with</summary>
            {post(
              'reset',
              <>
                <p>
                  Their password, passkeys, generator and recovery codes are forgotten. In other accounts too,
                  their sessions and assistants end, and links that they made stop working. You get a link
                  with which they begin anew.
                </p>
                <label class="choice">
                  <input type="checkbox" name="keep" value="assistants" />
                  <span>Leave their assistants connected</span>
                </label>
                <p>
                  <button class="danger">Reset it</button>
                </p>
              </>,
            )}
          </details>
          <details>
            <summary class="careful">Remove</summary>
            {post(
              'remove',
              <>
                <p>
                  They lose access to this account at once:{' '}
                  {several(sessions, 'session ends', 'sessions end')}, and{' '}
                  {several(assistants, 'assistant of theirs ends', 'assistants of theirs end')} with them.
                  Links that they made and nobody used stop working.
                </p>
                <p>
                  <button class="danger">Remove them</button>
                </p>
              </>,
            )}
          </details>
        </div>
      )}
    </section>
  )
}

function meansOf({ passkeys, hasPassword, hasGenerator }: Member): string {
  const means = [
    ...(passkeys > 0 ? [several(passkeys, 'passkey')] : []),
    ...(hasPassword ? ['a password'] : []),
    ...(hasGenerator ? ['a code generator'] : []),
  ]
  return means.length === 0 ? 'nothing yet' : means.join(', ')
}

function limitsOf({ assistantsSpend, assistantsMessages }: Member): string {
  const limits = [
    ...(assistantsSpend === null ? [] : [amountOf(assistantsSpend)]),
    ...(assistantsMessages === null ? [] : [several(assistantsMessages, 'message')]),
  ]
  return limits.length === 0 ? '' : ` · their assistants at most ${limits.join(' and ')} a day`
}

function roleField(id: string, chosen: Role): Markup {
  return field({ id, label: 'Role' }, (ties) => (
    <select class="box" {...ties} name="role">
      {ROLES.map((role) => (
        <option value={role} selected={role === chosen}>
          {role}: {ROLE_WORDS[role]}
        </option>
      ))}
    </select>
  ))
}

function waiting({ account, visit, invited }: PeopleView, acts: boolean): Markup {
  return (
    <section class="sheet">
      <h2>Invited</h2>
      <ul class="things">
        {invited.map(({ email, role, expiresAt }) => (
          <li>
            <div>
              <bdi class="strong">{email}</bdi> <span class="soft">{role}</span>
              <br />
              <span class="soft small">The link is good until {dayAndTime(expiresAt)} UTC.</span>
            </div>
            {acts && (
              <form method="post" action={pathOf(account, '/people/withdraw')}>
                {hiddenFields(visit.form, { email })}
                <button class="second tiny">
                  Take it back<span class="unseen">: {email}</span>
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function inviteSheet({ account, visit }: PeopleView): Markup {
  return (
    <section class="sheet">
      <h2>Let somebody in</h2>
      <form method="post" action={pathOf(account, '/people/invite')}>
        {hiddenFields(visit.form, {})}
        {field({ id: 'email', label: 'E-mail' }, (ties) => (
          <input
            class="box"
            {...ties}
            type="email"
            name="email"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            maxlength={254}
            required
          />
        ))}
        {roleField('role', 'owner')}
        <p>
          <button>Make a link</button>
        </p>
      </form>
    </section>
  )
}

const FACTOR = {
  optional: 'Nobody requires one: a password alone is enough for those who have none.',
  owner: 'An owner of the account requires one of everybody.',
  operator: 'An operator requires one of everybody.',
}

function factorSheet({ account, visit }: PeopleView, acts: boolean): Markup {
  const isRequired = account.secondFactor === 'operator'
  return (
    <section class="sheet">
      <h2>Second factor</h2>
      <p>{FACTOR[account.secondFactor]}</p>
      {acts && (
        <form method="post" action={pathOf(account, '/people/factor')}>
          {hiddenFields(visit.form, { required: isRequired ? 'off' : 'on' })}
          <p>
            <button class="second">{isRequired ? 'Require it no more' : 'Require it of everybody'}</button>
            {!isRequired && (
              <>
                {' '}
                <span class="soft small">Who signed in with a password alone has to sign in again.</span>
              </>
            )}
          </p>
        </form>
      )}
    </section>
  )
}
