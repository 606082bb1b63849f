import type { EpochMs } from '../../../kernel/ids.ts'
import { type FormTicket, field } from '../../../net/pages/forms.tsx'
import { flag, ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import type { OperatorRole } from '../../../store/schema/schema.ts'
import { generatorKey } from '../../widgets/generator.tsx'
import { passkeyForm } from '../../widgets/proof.tsx'
import { linkForm } from '../../widgets/reception.tsx'
import { codeHint, type Refused, refusedWords } from '../frame/session.ts'

export interface SignInView {
  form: FormTicket
  /** Where to go afterwards. */
  query: string
  refused: Refused | undefined
  /** Whether this browser may open the desk of a sandbox with one press. */
  demo: boolean
  /** Whether browsers offer passkeys here. */
  passkeys: boolean
  /** Whether a generator's code does here. */
  generators: boolean
  now: EpochMs
}

const WRONG = 'That did not fit: the passkey, or the name with its code, is nobody’s here.'

export function signInPage(view: SignInView): Markup {
  const { form, query, refused, demo, passkeys, generators, now } = view
  const hidden = ticketField(form)
  return (
    <div class="sheet">
      {flag}
      <h1>The operators’ desk</h1>
      {refused && (
        <div class="note bad" role="alert">
          <p>{refusedWords(refused, now, WRONG)}</p>
        </div>
      )}
      {demo && (
        <>
          <form method="post" action={`/open${query}`}>
            {hidden}
            <p>
              <button class="big">Open the desk</button>
            </p>
          </form>
          <p class="soft small">
            This is a sandbox on your own machine, so you need nothing to sign in with.
          </p>
          <hr />
        </>
      )}
      {passkeys
        ? passkeyForm({
            action: `/sign-in/passkey${query}`,
            hidden,
            options: '/passkey/sign-in',
            kind: 'get',
            button: 'Sign in with a passkey',
          })
        : noPasskeys}
      <form method="post" action={`/sign-in${query}`} class="left">
        {hidden}
        {field({ id: 'name', label: 'Name' }, (ties) => (
          <input class="box" {...ties} name="name" autocomplete="username" required />
        ))}
        {field({ id: 'code', label: 'Code', hint: codeHint(generators) }, (ties) => (
          <input class="box mono" {...ties} name="code" autocomplete="one-time-code" required />
        ))}
        <p>
          <button class="second big">Sign in with a code</button>
        </p>
      </form>
    </div>
  )
}

const noPasskeys: Markup = (
  <p class="note">
    Browsers offer passkeys over https or at localhost only, and this address is neither. A code works here.
  </p>
)

/** Where a link leads. */
export function enterPage(form: FormTicket): Markup {
  return (
    <div class="sheet">
      {flag}
      <h1>Welcome to the desk</h1>
      <p>A link lets you in once. It is good for an hour.</p>
      {linkForm('/enter', form)}
    </div>
  )
}

export function noLinkPage(): Markup {
  return (
    <div class="sheet">
      {flag}
      <h1>This link is no good</h1>
      <p>
        It was used already, it is older than an hour, or it is not whole. Ask the operator who gave it to you
        for another one.
      </p>
      <p>
        <a class="button" href="/sign-in">
          Sign in
        </a>
      </p>
    </div>
  )
}

export interface RegisterView {
  form: FormTicket
  operator: { name: string; role: OperatorRole }
  /** Of a generator, in case the person wants one. */
  secret: string
  isWrong: boolean
  passkeys: boolean
  /** Whether a generator's code does here. */
  generators: boolean
}

const ROLES = { look: 'You may see everything here.', act: 'You may see and change everything here.' }

export function registerPage(view: RegisterView): Markup {
  const { form, operator, passkeys, generators } = view
  const hidden = ticketField(form)
  const { name, role } = operator
  const options = '/passkey/register'
  return (
    <div class="sheet">
      {flag}
      <h1>
        Welcome, <bdi>{name}</bdi>
      </h1>
      <p>{ROLES[role]} Choose what you sign in with from now on.</p>
      {passkeys
        ? passkeyForm({
            action: '/register/passkey',
            hidden,
            options,
            kind: 'create',
            button: 'Make a passkey',
          })
        : noPasskeys}
      {generators && generatorForm(view, hidden)}
    </div>
  )
}

function generatorForm(
  { operator: { name }, secret, isWrong, passkeys }: RegisterView,
  hidden: Markup,
): Markup {
  return (
    <details class="left" open={isWrong || !passkeys}>
      <summary>Use a code generator instead</summary>
      {generatorKey({ secret, name, site: 'Wigwag desk' })}
      <form method="post" action="/register/code">
        {hidden}
        <input type="hidden" name="secret" value={secret} />
        {field(
          {
            id: 'code',
            label: 'Code',
            hint: 'The six digits that the app shows now.',
            error: isWrong ? 'The code does not fit the key. Is the clock of the device right?' : undefined,
          },
          (ties) => (
            <input
              class="box mono"
              {...ties}
              name="code"
              inputmode="numeric"
              autocomplete="one-time-code"
              required
            />
          ),
        )}
        <p>
          <button class="second big">Use the generator</button>
        </p>
      </form>
    </details>
  )
}
