import type { Membership } from '../../../accounts/people/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { type FormTicket, field } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import type { Factors } from '../../../sign-in/factors/index.ts'
import {
  LONGEST_PASSWORD,
  type OwnSession,
  type Person,
  SHORTEST_PASSWORD,
} from '../../../sign-in/portal/index.ts'
import { dayAndTime, listTime } from '../../times.tsx'
import { passkeyForm } from '../../widgets/proof.tsx'
import { sessionsPart } from './sessions.tsx'

interface YouView {
  person: Person
  form: FormTicket
  factors: Factors
  sessions: readonly OwnSession[]
  accounts: readonly Membership[]
  now: EpochMs
  /** Whether browsers offer passkeys here. */
  passkeys: boolean
  done: string | undefined
  wrong: string | undefined
  /** The form to show again. */
  again: 'password' | undefined
}

const DONE: Readonly<Record<string, string>> = {
  added: 'You can sign in with it from now on.',
  removed: 'It is removed, and your other sessions are over.',
  named: 'It has its new name.',
  password: 'Your password is changed, and your other sessions are over.',
  ended: 'That session is over.',
  others: 'All your other sessions are over.',
}

/** A person's ways to sign in, and their sessions. */
export function youPage(view: YouView): Markup {
  const { person, done, wrong } = view
  const said = done === undefined ? undefined : DONE[done]
  return (
    <>
      <div class="head">
        <h1>Your sign-in</h1>
        <span class="soft">
          <bdi>{person.email}</bdi>
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
      {accountsPart(view)}
      {passkeysPart(view)}
      {generatorPart(view)}
      {recoveryPart(view)}
      {passwordPart(view)}
      {sessionsPart(view.form, view.sessions, view.now)}
    </>
  )
}

function accountsPart({ accounts, person }: YouView): Markup | undefined {
  if (accounts.length < 2) return undefined
  return (
    <section class="sheet">
      <h2>Accounts</h2>
      <p>
        You are in {accounts.length} accounts. Open now:{' '}
        <strong>
          <bdi>{person.name}</bdi>
        </strong>
        .
      </p>
      <p>
        <a class="button second" href="/accounts">
          Open another
        </a>
      </p>
    </section>
  )
}

function passkeysPart({ form, factors, now, passkeys }: YouView): Markup {
  return (
    <section class="sheet" id="passkeys">
      <h2>Passkeys</h2>
      <p class="soft">One tap on the device, in place of a password. Make one on each device that you use.</p>
      {factors.passkeys.length > 0 && (
        <ul class="things">
          {factors.passkeys.map(({ id, name, createdAt, usedAt }) => (
            <li>
              <div>
                <strong>
                  <bdi>{name || 'Passkey'}</bdi>
                </strong>
                <br />
                <span class="soft small">
                  made {listTime(createdAt, now)},{' '}
                  {usedAt === 0 ? 'never used' : <>last used {listTime(usedAt, now)}</>}
                </span>
              </div>
              <details class="end">
                <summary>
                  Change<span class="unseen"> {name || 'the passkey'}</span>
                </summary>
                <form method="post" action="/you/passkeys/name" class="together">
                  {ticketField(form)}
                  <input type="hidden" name="id" value={id} />
                  <label class="unseen" for={`n-${id}`}>
                    Name
                  </label>
                  <input class="box short" id={`n-${id}`} name="name" value={name} maxlength={40} />
                  <button class="second tiny">Name it</button>
                </form>
                <form method="post" action="/you/passkeys/remove">
                  {ticketField(form)}
                  <input type="hidden" name="id" value={id} />
                  <button class="danger tiny">Remove it</button>
                </form>
              </details>
            </li>
          ))}
        </ul>
      )}
      {passkeys ? (
        passkeyForm({
          action: '/you/passkeys',
          options: '/passkey/add',
          kind: 'create',
          button: 'Make a passkey',
          look: '',
          hidden: (
            <>
              {ticketField(form)}
              {field({ id: 'name', label: 'Name of the device' }, (ties) => (
                <input class="box short" {...ties} name="name" maxlength={40} placeholder="Work laptop" />
              ))}
            </>
          ),
        })
      ) : (
        <p class="note">
          Browsers offer passkeys over https or at localhost only, and this address is neither.
        </p>
      )}
    </section>
  )
}

function generatorPart({ form, factors: { generatorSince } }: YouView): Markup {
  return (
    <section class="sheet">
      <h2>Code generator</h2>
      {generatorSince === undefined ? (
        <>
          <p>An app that makes six digits every half minute, asked for after your password.</p>
          <p>
            <a class="button second" href="/you/generator">
              Set one up
            </a>
          </p>
        </>
      ) : (
        <>
          <p>Set up {dayAndTime(generatorSince)} UTC. Its code is asked for after your password.</p>
          <form method="post" action="/you/generator/remove">
            {ticketField(form)}
            <p class="together">
              <a class="button second" href="/you/generator">
                Set up another in its place
              </a>
              <button class="danger">Remove it</button>
            </p>
          </form>
        </>
      )}
    </section>
  )
}

function recoveryPart({ form, factors }: YouView): Markup | undefined {
  const { recoveryCodes, passkeys, generatorSince } = factors
  if (passkeys.length === 0 && generatorSince === undefined) return undefined
  return (
    <section class="sheet">
      <h2>Recovery codes</h2>
      <p>
        {recoveryCodes === 0 ? 'None are left.' : `${recoveryCodes} of 10 are left.`} Each lets you in once,
        in place of a passkey or code.
      </p>
      <form method="post" action="/you/recovery">
        {ticketField(form)}
        <p>
          <button class="second">Make ten new ones</button>{' '}
          <span class="soft small">The old ones stop working.</span>
        </p>
      </form>
    </section>
  )
}

function passwordPart({ form, again }: YouView): Markup {
  return (
    <section class="sheet">
      <h2>Password</h2>
      <details open={again === 'password'}>
        <summary>Change it</summary>
        <form method="post" action="/you/password">
          {ticketField(form)}
          {field(
            { id: 'new', label: 'New password', hint: `At least ${SHORTEST_PASSWORD} characters.` },
            (ties) => (
              <input
                class="box"
                {...ties}
                type="password"
                name="new_password"
                autocomplete="new-password"
                minlength={SHORTEST_PASSWORD}
                maxlength={LONGEST_PASSWORD}
                required
              />
            ),
          )}
          <label class="on-off">
            <input type="checkbox" name="keep" value="assistants" />
            <span>Leave my assistants connected</span>
          </label>
          <p>
            <button>Change it</button>{' '}
            <span class="soft small">
              Your other sessions end, and your assistants unless you leave them connected.
            </span>
          </p>
        </form>
      </details>
    </section>
  )
}
