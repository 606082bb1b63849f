import { type FormTicket, field } from '../../net/pages/forms.tsx'
import { flag, ticketField } from '../../net/pages/layout.tsx'
import type { Markup } from '../../net/pages/markup.ts'

/**
 * The form where a link leads that lets in once. Its secret is in the fragment, which no server and no log sees; the script
 * puts it into the form.
 */
export function linkForm(action: string, form: FormTicket): Markup {
  return (
    <form method="post" action={action} class="left" data-link="">
      {ticketField(form)}
      {field(
        {
          id: 'link',
          label: 'Your link',
          hint: 'The browser fills it in; if it does not, paste the whole link.',
        },
        (ties) => (
          <input class="box mono" {...ties} name="link" autocomplete="off" required />
        ),
      )}
      <p>
        <button class="big">Come in</button>
      </p>
    </form>
  )
}

/** Ten codes, shown once. */
export function recoveryCodesPage(codes: readonly string[], next: string): Markup {
  return (
    <div class="sheet">
      {flag}
      <h1>Your recovery codes</h1>
      <p>
        Each lets you in once, in place of your passkey or code. They are shown now and never again: keep them
        where you find them without this device.
      </p>
      <ul class="codes mono">
        {codes.map((code) => (
          <li>{code}</li>
        ))}
      </ul>
      <p>
        <a class="button big" href={next}>
          I have kept them
        </a>
      </p>
    </div>
  )
}
