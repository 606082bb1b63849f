import { type InvitationRow, type Member, ROLE_WORDS, ROLES } from '../../../accounts/people/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { OperatorContact } from '../../../kernel/operator-contact.ts'
import { countryCodes } from '../../../kernel/phone/numbering-plan.ts'
import { type FormTicket, field } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { theOperator } from '../../../net/pages/operator.tsx'
import type { Role, SecondFactor } from '../../../store/schema/schema.ts'
import { several } from '../../count.ts'
import { dayAndTime, dayOf } from '../../times.tsx'
import { codeBox } from '../../widgets/code.tsx'
import { countryName } from '../../widgets/phone.tsx'
import { type AssistantLimits, limitFields, limitsSheet } from './assistant-limits.tsx'

export interface PeopleView {
  form: FormTicket
  /** Who looks. */
  me: string
  name: string
  currency: string
  members: readonly Member[]
  invited: readonly InvitationRow[]
  /** Whether owners may invite; else only the operator does. */
  invites: boolean
  operator: OperatorContact
  secondFactor: SecondFactor
  /** Of numbers without a country code; empty for none. */
  country: string
  limits: AssistantLimits
  now: EpochMs
  /** The link that was just made. It is shown once. */
  link: { email: string; url: string } | undefined
  done: string | undefined
  wrong: string | undefined
  /** The fields of a refused invitation, to show them again. */
  typed: { email: string; role: Role | undefined } | undefined
}

const DONE: Readonly<Record<string, string>> = {
  role: 'The new role is in force.',
  removed: 'They have no way in any more, and neither have their assistants.',
  withdrawn: 'The invitation is taken back.',
  required: 'Everybody is led through a second factor at their next sign-in.',
  optional: 'A password alone is enough again, where there is no second factor.',
  limits: 'The limits are in force.',
  country: 'Numbers without a country code are read so from now on.',
}

/** The people of an account, for its owners. */
export function peoplePage(view: PeopleView): Markup {
  const { name, done, wrong, link } = view
  const said = done === undefined ? undefined : DONE[done]
  return (
    <>
      <div class="head">
        <h1>People</h1>
        <span class="soft">
          in the account of <bdi>{name}</bdi>
        </span>
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
      {link && linkNote(link)}
      {view.members.map((member) => memberSheet(member, view))}
      {view.invited.length > 0 && waiting(view)}
      {inviteSheet(view)}
      {factorSheet(view)}
      {countrySheet(view)}
      {limitsSheet(view.form, view.currency, view.limits)}
    </>
  )
}

function linkNote({ email, url }: NonNullable<PeopleView['link']>): Markup {
  return (
    <div class="note good" role="status">
      <p class="strong">
        Send this link to <bdi>{email}</bdi>. It is shown this once, and good once, for three days.
      </p>
      {codeBox('link', url, 'wrap')}
    </div>
  )
}

function memberSheet(member: Member, { me, form, currency }: PeopleView): Markup {
  const { personId, email, role, since, canSignIn, sessions, assistants } = member
  const id = `p-${personId}`
  return (
    <section class="sheet" aria-labelledby={id}>
      <h2 id={id}>
        <bdi>{email}</bdi>
        {personId === me && (
          <>
            {' '}
            <span class="soft">you</span>
          </>
        )}
      </h2>
      <p>
        <strong>{capital(role)}</strong>: {ROLE_WORDS[role]}.<br />
        <span class="soft small">
          Since {dayOf(since)} · signs in with {meansOf(member)}
          {!canSignIn && '. Invite them again for a new link'}
        </span>
      </p>
      <div class="folds">
        <details>
          <summary>Change the role</summary>
          <form method="post" action="/people/role" class="fold">
            {ticketField(form)}
            <input type="hidden" name="person" value={personId} />
            {roleField(`${id}-role`, role)}
            <p>
              <button>Change it</button>
            </p>
          </form>
        </details>
        {role !== 'viewer' && role !== 'developer' && (
          <details>
            <summary>Limit their assistants</summary>
            <form method="post" action="/people/limits" class="fold">
              {ticketField(form)}
              <input type="hidden" name="person" value={personId} />
              {limitFields(id, currency, {
                spend: member.assistantsSpend,
                messages: member.assistantsMessages,
              })}
              <p>
                <button>Save</button>
              </p>
            </form>
          </details>
        )}
        <details>
          <summary class="careful">Remove</summary>
          <form method="post" action="/people/remove" class="fold">
            {ticketField(form)}
            <input type="hidden" name="person" value={personId} />
            <p>
              <bdi>{email}</bdi> loses access to this account at once:{' '}
              {several(sessions, 'session ends', 'sessions end')}, and{' '}
              {several(assistants, 'assistant of theirs ends', 'assistants of theirs end')} with them. Links
              that they made and nobody used stop working.
            </p>
            <p>
              <button class="danger">Yes, remove them</button>
            </p>
          </form>
        </details>
      </div>
    </section>
  )
}

function meansOf({ passkeys, hasPassword, hasGenerator }: Member): string {
  const means = [
    ...(passkeys > 0 ? [passkeys === 1 ? 'a passkey' : `${passkeys} passkeys`] : []),
    ...(hasPassword ? ['a password'] : []),
    ...(hasGenerator ? ['a code generator'] : []),
  ]
  return means.length === 0 ? 'nothing yet' : means.join(', ')
}

function roleField(id: string, chosen: Role): Markup {
  return field({ id, label: 'Role' }, (ties) => (
    <select class="box" {...ties} name="role">
      {ROLES.map((role) => (
        <option value={role} selected={role === chosen}>
          {capital(role)}: {ROLE_WORDS[role]}
        </option>
      ))}
    </select>
  ))
}

function waiting({ invited, form }: PeopleView): Markup {
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
            <form method="post" action="/people/withdraw" class="end">
              {ticketField(form)}
              <input type="hidden" name="email" value={email} />
              <button class="second tiny">
                Take it back<span class="unseen">: {email}</span>
              </button>
            </form>
          </li>
        ))}
      </ul>
    </section>
  )
}

function inviteSheet({ form, invites, operator, typed }: PeopleView): Markup {
  if (!invites)
    return (
      <section class="sheet">
        <h2>Invite somebody</h2>
        <p>Ask {theOperator(operator)} to let somebody in.</p>
      </section>
    )
  return (
    <section class="sheet">
      <h2>Invite somebody</h2>
      <form method="post" action="/people/invite">
        {ticketField(form)}
        {field({ id: 'email', label: 'E-mail' }, (ties) => (
          <input
            class="box"
            {...ties}
            type="email"
            name="email"
            value={typed?.email ?? ''}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            maxlength={254}
            required
          />
        ))}
        {roleField('role', typed?.role ?? 'viewer')}
        <p>
          <button>Make a link</button> <span class="soft small">You give it to them yourself.</span>
        </p>
      </form>
    </section>
  )
}

function factorSheet({ form, secondFactor }: PeopleView): Markup {
  if (secondFactor === 'operator')
    return (
      <section class="sheet">
        <h2>Second factor</h2>
        <p>The operator of this service requires one of everybody.</p>
      </section>
    )
  const isRequired = secondFactor === 'owner'
  return (
    <section class="sheet">
      <h2>Second factor</h2>
      <p>
        {isRequired
          ? 'Everybody needs a passkey, or a code beside the password.'
          : 'A password alone is enough for those who have no second factor.'}
      </p>
      <form method="post" action="/people/factor">
        {ticketField(form)}
        <input type="hidden" name="required" value={isRequired ? 'optional' : 'owner'} />
        <p>
          <button class="second">{isRequired ? 'Require it no more' : 'Require it of everybody'}</button>
          {!isRequired && (
            <>
              {' '}
              <span class="soft small">
                Who signed in with a password alone has to sign in again, you too.
              </span>
            </>
          )}
        </p>
      </form>
    </section>
  )
}

/** The country whose numbers may be written as people there write them. */
function countrySheet({ form, country }: PeopleView): Markup {
  const named = countryCodes().map((code) => ({ code, name: countryName(code) }))
  return (
    <section class="sheet">
      <h2>Numbers without a country code</h2>
      <p>
        {country === ''
          ? 'On the pages Send and Many every number needs its country code.'
          : `On the pages Send and Many they are numbers of ${countryName(country)}, and shown to you before anything is sent.`}{' '}
        <span class="soft">Programs always write the country code.</span>
      </p>
      <form method="post" action="/people/country">
        {ticketField(form)}
        {field({ id: 'country', label: 'Country' }, (ties) => (
          <select class="box" {...ties} name="country">
            <option value="">None</option>
            {named
              .sort((a, b) => (a.name < b.name ? -1 : 1))
              .map(({ code, name }) => (
                <option value={code} selected={code === country}>
                  {name}
                </option>
              ))}
          </select>
        ))}
        <p>
          <button class="second">Keep this</button>
        </p>
      </form>
    </section>
  )
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
