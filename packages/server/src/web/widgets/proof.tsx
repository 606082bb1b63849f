import { type FormTicket, field } from '../../net/pages/forms.tsx'
import { ticketField } from '../../net/pages/layout.tsx'
import type { Markup } from '../../net/pages/markup.ts'

/** A proof of identity: a passkey's answer, a code, or a password. */
export type Proof = { passkey: string } | { code: string } | { password: string }

const FIELDS = ['passkey', 'code', 'password'] as const

export function proofIn(form: URLSearchParams): Proof | undefined {
  for (const name of FIELDS) {
    const value = form.get(name) ?? ''
    if (value === '') continue
    if (name === 'passkey') return { passkey: value }
    return name === 'code' ? { code: value } : { password: value }
  }
  return undefined
}

const TICKET = 'form_ticket'

/** Whether a form has fields beside a proof. */
export function isCarried(form: URLSearchParams): boolean {
  return [...form.keys()].some((name) => name !== TICKET && !FIELDS.some((field) => field === name))
}

export interface ProofRequest {
  /** The ticket of the page. */
  ticket: FormTicket
  /** The address and the fields of the form that waits for the proof. */
  action: string
  form: URLSearchParams
  /** Why the last proof was refused. */
  error?: string | undefined
  /** The proof to ask for: a password only if the person has nothing else. */
  by: 'password' | 'factor'
  /** The codes that are accepted, in a sentence. */
  codes?: string
  /** The address at which the script gets the options for a passkey. */
  options: string
  /** The address to go to without a proof. */
  leave: string
}

/** Asks who somebody is before a form is taken, and carries that form along. */
export function proofSheet({ ticket, action, form, error, by, codes, options, leave }: ProofRequest): Markup {
  const carried = [...form].filter(([name]) => ![ticket.name, ...FIELDS].includes(name))
  const hidden = (
    <>
      {ticketField(ticket)}
      {carried.map(
        ([name, value]): Markup => (
          <input type="hidden" name={name} value={value} />
        ),
      )}
    </>
  )
  return (
    <>
      <div class="head">
        <h1>Is it you?</h1>
      </div>
      <section class="sheet narrow">
        <p>
          This needs {by === 'password' ? 'your password' : 'your passkey or a code'} again, because the last
          time was a while ago.
        </p>
        {error !== undefined && (
          <div class="note bad" role="alert">
            <p>{error}</p>
          </div>
        )}
        {by === 'password' ? passwordForm(action, hidden) : factorForms(action, hidden, options, codes)}
        <p class="soft small">
          <a href={leave}>Leave it</a>
        </p>
      </section>
    </>
  )
}

function passwordForm(action: string, hidden: Markup): Markup {
  return (
    <form method="post" action={action}>
      {hidden}
      {field({ id: 'password', label: 'Your password' }, (ties) => (
        <input
          class="box"
          {...ties}
          type="password"
          name="password"
          autocomplete="current-password"
          required
          autofocus
        />
      ))}
      <p>
        <button>Go on</button>
      </p>
    </form>
  )
}

const CODES = 'From your code generator, or a recovery code.'

/** For a passkey, or a code in its place. */
export function factorForms(action: string, hidden: Markup, options: string, codes = CODES): Markup {
  return (
    <>
      {passkeyForm({ action, hidden, options, kind: 'get', button: 'Go on with the passkey' })}
      <form method="post" action={action}>
        {hidden}
        {field({ id: 'code', label: 'Code', hint: codes }, (ties) => (
          <input class="box mono" {...ties} name="code" autocomplete="one-time-code" required />
        ))}
        <p>
          <button class="second">Go on with the code</button>
        </p>
      </form>
    </>
  )
}

export interface PasskeyForm {
  action: string
  /** The fields that the form carries, with its ticket. */
  hidden: Markup
  /** Where the script asks what the passkey is to sign. */
  options: string
  /** Whether a passkey is made or used. */
  kind: 'create' | 'get'
  button: string
  /** How the button looks, where it is not the first thing to do. */
  look?: string
  /** Whether the browser offers passkeys in a field of the page too. */
  offered?: boolean
}

/** A form that the script fills in with what a passkey answers. Without the script it stays hidden. */
export function passkeyForm(form: PasskeyForm): Markup {
  const { action, hidden, options, kind, button, look = 'big', offered } = form
  return (
    <>
      <form
        method="post"
        action={action}
        data-passkey={options}
        data-kind={kind}
        data-offered={offered ? '' : undefined}
        hidden
      >
        {hidden}
        <input type="hidden" name="passkey" value="" />
        <p>
          <button class={look}>{button}</button>
        </p>
        <p class="wrong" role="alert" hidden>
          The browser gave no passkey. Try again.
        </p>
      </form>
      <noscript>
        <p class="note">A passkey needs the script of this page, which the browser does not run.</p>
      </noscript>
    </>
  )
}
