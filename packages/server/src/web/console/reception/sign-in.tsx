import type { Hono } from 'hono'
import type { Membership } from '../../../accounts/people/index.ts'
import type { OperatorContact } from '../../../kernel/operator-contact.ts'
import { type FormTicket, field, postedForm } from '../../../net/pages/forms.tsx'
import { flag, ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { notFromHere } from '../../../net/pages/not-from-here.ts'
import { theOperator } from '../../../net/pages/operator.tsx'
import { goTo, type PageContext, withKept } from '../../../net/pages/reply.ts'
import { takesPasskeys } from '../../../sign-in/factors/index.ts'
import {
  keepSession,
  LONGEST_PASSWORD,
  nextOf,
  noSessionCookie,
  type Refusal,
  SUSPENDED,
  signInBrowser,
} from '../../../sign-in/portal/index.ts'
import { passkeyForm } from '../../widgets/proof.tsx'
import { FIRST_PAGE, goOn, queryOf, type Reception } from './reception.ts'

/** Sign-in, sign-out, and the choice of an account. */
export function mountSignIn(app: Hono, reception: Reception): void {
  const { parts } = reception
  const { portal, proofs, tickets, publicUrl, site } = parts

  app.get('/sign-in', async (c: PageContext) => {
    const token = reception.tokenOf(c)
    if (token !== undefined && (await portal.who(token))) return goTo(nextOf(c) ?? FIRST_PAGE)
    if (await proofs.half(token)) return goTo(`/second${queryOf(c)}`)
    return showSignIn(reception, c, { refusal: (await portal.isSuspended(token)) ? SUSPENDED : undefined })
  })

  app.post('/sign-in', async (c: PageContext) => {
    const form = await postedForm(c, tickets)
    if (!form) return notFromHere(publicUrl())
    const email = (form.get('email') ?? '').trim()
    const signedIn = await signInBrowser(c, parts, { email, password: form.get('password') ?? '' })
    if ('refusal' in signedIn) return showSignIn(reception, c, { email, refusal: signedIn.refusal })
    return withKept(c, goOn(c, signedIn))
  })

  reception.post('/sign-in/passkey', async (c, form) => {
    const result = await proofs.signIn(form.get('passkey') ?? '', site(), reception.from(c))
    if (result.kind !== 'in')
      return showSignIn(reception, c, {
        refusal: reception.refusalOf(result, 'This passkey is nobody’s here, or not any more.'),
      })
    await keepSession(c, parts, result)
    return goOn(c, result)
  })

  app.post('/sign-out', async (c: PageContext) => {
    const form = await postedForm(c, tickets)
    if (!form) return notFromHere(publicUrl())
    const token = reception.tokenOf(c)
    if (token !== undefined) await portal.signOut(token)
    return goTo('/sign-in', noSessionCookie(publicUrl()))
  })

  app.get('/accounts', async (c: PageContext) => {
    const person = await portal.who(reception.tokenOf(c))
    if (!person) return goTo(`/sign-in${queryOf(c)}`)
    const accounts = await portal.accounts(person.personId)
    return reception.show(c, 'Which account?', (form) => accountsPage(form, accounts, queryOf(c)))
  })
  reception.post('/accounts', async (c, form) => {
    const token = reception.tokenOf(c)
    const state = token && (await portal.choose(token, form.get('account') ?? ''))
    if (!state) return goTo(`/accounts${queryOf(c)}`)
    return goOn(c, { state, accounts: 1 })
  })
}

/** The page of the sign-in, again after a refusal. */
export function showSignIn(
  reception: Reception,
  c: PageContext,
  { email, refusal }: { email?: string; refusal?: Refusal | undefined } = {},
): Promise<Response> {
  const { operator } = reception.parts
  const view = { query: queryOf(c), email, error: refusal?.error, oneClick: reception.oneClick(c), operator }
  const passkeys = takesPasskeys(reception.parts.publicUrl())
  return reception.show(c, 'Sign in', (form) => signInPage({ form, ...view, passkeys }), { refusal })
}

interface SignInView {
  /** The query of the forms' addresses: the page to go to afterwards. */
  query: string
  form: FormTicket
  /** The e-mail typed before, to show it again. The password is never shown again. */
  email?: string | undefined
  error?: string | undefined
  /** The e-mail of the account that one press opens without a password. */
  oneClick: string | undefined
  operator: OperatorContact
  /** Whether browsers offer passkeys here. */
  passkeys: boolean
}

export function signInPage({ query, form, email, error, oneClick, operator, passkeys }: SignInView): Markup {
  const hidden = ticketField(form)
  const described = error === undefined ? undefined : 'sign-in-error'
  return (
    <div class="sheet">
      {flag}
      <h1>Sign in</h1>
      <p class="soft">Use your account at this messaging service.</p>
      {error !== undefined && (
        <div class="note bad" role="alert" id="sign-in-error">
          <p>{error}</p>
        </div>
      )}
      <form method="post" action={`/sign-in${query}`} class="left">
        {hidden}
        {field({ id: 'email', label: 'E-mail' }, (ties) => (
          <input
            class="box"
            {...ties}
            aria-describedby={described}
            type="email"
            name="email"
            value={email ?? ''}
            autocomplete="username webauthn"
            autocapitalize="none"
            spellcheck={false}
            maxlength={320}
            required
            autofocus={!email}
          />
        ))}
        {field({ id: 'password', label: 'Password' }, (ties) => (
          <input
            class="box"
            {...ties}
            aria-describedby={described}
            type="password"
            name="password"
            autocomplete="current-password"
            maxlength={LONGEST_PASSWORD}
            required
            autofocus={Boolean(email)}
          />
        ))}
        <p>
          <button class="full">Sign in</button>
        </p>
      </form>
      {passkeys &&
        passkeyForm({
          action: `/sign-in/passkey${query}`,
          hidden,
          options: '/passkey/sign-in',
          kind: 'get',
          button: 'Sign in with a passkey',
          look: 'second full',
          // After a refusal, the browser does not offer passkeys by itself.
          offered: error === undefined,
        })}
      {oneClick === undefined ? (
        <p class="soft small">
          There is no sign-up here. For an account, or if you can’t sign in any more, ask{' '}
          {theOperator(operator)}.
        </p>
      ) : (
        openForm(oneClick, query, hidden)
      )}
    </div>
  )
}

function openForm(email: string, query: string, hidden: Markup): Markup {
  return (
    <>
      <hr />
      <p class="soft">Or, since this is a sandbox on your own machine, without a password:</p>
      <form method="post" action={`/open${query}`}>
        {hidden}
        <button class="second full">Open the demo account</button>
      </form>
      <p class="soft small">You will be {email}.</p>
    </>
  )
}

/** Which of their accounts a person opens. */
function accountsPage(form: FormTicket, accounts: readonly Membership[], query: string): Markup {
  return (
    <div class="sheet">
      {flag}
      <h1>Which account?</h1>
      {accounts.map(({ accountId, name, role, status }) => (
        <form method="post" action={`/accounts${query}`}>
          {ticketField(form)}
          <input type="hidden" name="account" value={accountId} />
          <p>
            <button class="second full" disabled={status === 'suspended'}>
              <bdi>{name}</bdi> <span class="soft">{status === 'suspended' ? 'suspended' : role}</span>
            </button>
          </p>
        </form>
      ))}
    </div>
  )
}
