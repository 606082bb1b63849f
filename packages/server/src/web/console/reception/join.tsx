import type { Hono } from 'hono'
import { ROLE_WORDS } from '../../../accounts/people/index.ts'
import { cookieKind, readCookie, writeCookie } from '../../../net/pages/cookie.ts'
import { type FormTicket, field } from '../../../net/pages/forms.tsx'
import { flag, ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo, type PageContext } from '../../../net/pages/reply.ts'
import { takesPasskeys } from '../../../sign-in/factors/index.ts'
import {
  type Invited,
  keepSession,
  LONGEST_PASSWORD,
  PASSWORD_BUSY,
  passwordMistake,
  type Refusal,
  SHORTEST_PASSWORD,
} from '../../../sign-in/portal/index.ts'
import { passkeyForm } from '../../widgets/proof.tsx'
import { linkForm, recoveryCodesPage } from '../../widgets/reception.tsx'
import type { ConsoleParts } from '../parts.ts'
import { unfit } from '../widgets/registration.tsx'
import { FIRST_PAGE, goOn, type Reception } from './reception.ts'
import { showSignIn } from './sign-in.tsx'

const SIGN_IN_FIRST = 'This address signs in here already. Nothing was changed: sign in as it, then join.'

/** The links of invitations: with one, a person joins an account. */
export function mountJoin(app: Hono, reception: Reception): void {
  const { joining, portal, publicUrl } = reception.parts

  app.get('/invited', (c: PageContext) => reception.show(c, 'You are invited', invitedPage))
  reception.post('/invited', async (_, form) =>
    goTo('/join', linkCookie(secretIn(form.get('link') ?? ''), publicUrl())),
  )
  app.get('/join', (c: PageContext) => showJoin(reception, c))
  reception.post('/join/password', async (c, form) => {
    const password = form.get('password') ?? ''
    const invited = await joining.invited(linkSecretOf(c, publicUrl()))
    const names = [invited?.email ?? '', invited?.name ?? '', reception.parts.operator.name ?? '']
    const mistake = passwordMistake(password, names)
    return mistake === undefined ? begin(reception, c, { password }) : showJoin(reception, c, unfit(mistake))
  })
  reception.post('/join/passkey', (c, form) =>
    begin(reception, c, { passkey: form.get('passkey') ?? '', name: '' }),
  )
  reception.post('/join/accept', async (c) => {
    const [token, person] = [reception.tokenOf(c), await portal.who(reception.tokenOf(c))]
    const accountId = (await joining.invited(linkSecretOf(c, publicUrl())))?.accountId
    if (token === undefined || !person) return goTo('/sign-in?next=/join')
    if (!(await joining.accept(linkSecretOf(c, publicUrl()), person)))
      return showJoin(reception, c, unfit('This invitation is not for you.'))
    const state = accountId === undefined ? undefined : await portal.choose(token, accountId)
    return goOn(c, { state: state ?? 'in', accounts: 1 })
  })
}

/** The page of an invitation. */
async function showJoin(reception: Reception, c: PageContext, refusal?: Refusal): Promise<Response> {
  const { joining, portal, publicUrl } = reception.parts
  const invited = await joining.invited(linkSecretOf(c, publicUrl()))
  if (!invited) return reception.show(c, 'This link is no good', noLinkPage, { status: 410 })
  const person = await portal.who(reception.tokenOf(c))
  const more = { error: refusal?.error, passkeys: takesPasskeys(publicUrl()) }
  const view = { invited, signedInAs: person?.email, ...more }
  return reception.show(c, 'Join', (form) => joinPage({ form, ...view }), { refusal })
}

/** Joins with a new way to sign in. */
async function begin(
  reception: Reception,
  c: PageContext,
  proof: Parameters<ConsoleParts['joining']['begin']>[1],
): Promise<Response> {
  const { parts } = reception
  const { joining, portal, publicUrl, site, realClock } = parts
  const result = await joining.begin(linkSecretOf(c, publicUrl()), proof, site(), reception.from(c))
  if (result.kind === 'busy') return showJoin(reception, c, PASSWORD_BUSY)
  if (result.kind === 'sign in') return showJoin(reception, c, unfit(SIGN_IN_FIRST))
  if (result.kind === 'not taken') return showJoin(reception, c, unfit('That did not fit. Try again.'))
  if (result.kind === 'no link') return reception.show(c, 'This link is no good', noLinkPage, { status: 410 })
  if (result.kind !== 'in') return showSignIn(reception, c, { refusal: reception.refusalOf(result) })
  await keepSession(c, parts, result)
  const codes = result.recoveryCodes
  if (codes === undefined) return goOn(c, result)
  const person = await portal.who(result.token)
  const made = { codes, whose: person ? [person.name, person.email] : [], at: realClock.now() }
  return reception.show(c, 'Recovery codes', () => recoveryCodesPage(made, FIRST_PAGE))
}

/** People may paste the whole link. */
function secretIn(link: string): string {
  return /wi_[\w-]{43}/.exec(link)?.[0] ?? ''
}

const LINK = 'wigwag_link'
const LONGEST = 256

/** Keeps the secret of a link while somebody joins; until the browser is closed. */
function linkCookie(secret: string, url: string): string {
  return writeCookie(cookieKind(LINK, url), secret)
}

/** The secret of a link in a browser's cookies, not yet checked; empty when there is none. */
export function linkSecretOf(c: PageContext, url: string): string {
  const value = readCookie(cookieKind(LINK, url), c.req.header('cookie'))
  return value && value.length <= LONGEST ? value : ''
}

/** Where a link leads. */
function invitedPage(form: FormTicket): Markup {
  return (
    <div class="sheet">
      {flag}
      <h1>You are invited</h1>
      <p>A link lets you in once. It is good for three days.</p>
      {linkForm('/invited', form)}
    </div>
  )
}

function noLinkPage(): Markup {
  return (
    <div class="sheet">
      {flag}
      <h1>This link is no good</h1>
      <p>
        It was used already, it is older than three days, or it is not whole. Ask whoever gave it to you for
        another one.
      </p>
      <p>
        <a class="button" href="/sign-in">
          Sign in
        </a>
      </p>
    </div>
  )
}

interface JoinView {
  form: FormTicket
  invited: Invited
  /** The address of who is signed in. */
  signedInAs: string | undefined
  error: string | undefined
  passkeys: boolean
}

function joinPage({ form, invited, signedInAs, error, passkeys }: JoinView): Markup {
  const { name, email, role } = invited
  const hidden = ticketField(form)
  return (
    <div class="sheet">
      {flag}
      <h1>
        Join <bdi>{name}</bdi>
      </h1>
      <p>
        You come as <bdi class="strong">{email}</bdi>, in the role {role}: {ROLE_WORDS[role]}.
      </p>
      {error !== undefined && (
        <div class="note bad" role="alert">
          <p>{error}</p>
        </div>
      )}
      {signedInAs === email ? (
        <form method="post" action="/join/accept">
          {hidden}
          <p>
            <button class="big">Join</button>
          </p>
        </form>
      ) : (
        <>
          <p>
            Do you sign in here already? <a href="/sign-in?next=/join">Sign in as {email}</a>
          </p>
          {beginForms(hidden, passkeys, error !== undefined)}
        </>
      )}
    </div>
  )
}

function beginForms(hidden: Markup, passkeys: boolean, again: boolean): Markup {
  const password = (
    <form method="post" action="/join/password" class="left">
      {hidden}
      {field(
        { id: 'password', label: 'A password', hint: `At least ${SHORTEST_PASSWORD} characters.` },
        (ties) => (
          <input
            class="box"
            {...ties}
            type="password"
            name="password"
            autocomplete="new-password"
            minlength={SHORTEST_PASSWORD}
            maxlength={LONGEST_PASSWORD}
            required
          />
        ),
      )}
      <p>
        <button class={`${passkeys ? 'second ' : ''}big`}>Use a password</button>
      </p>
    </form>
  )
  if (!passkeys)
    return (
      <>
        <p>If not, choose a password.</p>
        {password}
      </>
    )
  return (
    <>
      <p>If not, choose what you sign in with from now on.</p>
      {passkeyForm({
        action: '/join/passkey',
        hidden,
        options: '/passkey/join',
        kind: 'create',
        button: 'Make a passkey',
      })}
      <details class="left" open={again}>
        <summary>Use a password instead</summary>
        {password}
      </details>
    </>
  )
}
