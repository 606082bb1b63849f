import type { EpochMs } from '../../kernel/ids.ts'
import { type FormTicket, field } from '../../net/pages/forms.tsx'
import { flag, ticketField } from '../../net/pages/layout.tsx'
import type { Markup } from '../../net/pages/markup.ts'
import { dayOf } from '../times.tsx'
import { copyButton } from './code.tsx'

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

/** Recovery codes that were just made. */
export interface MadeCodes {
  codes: readonly string[]
  /** The names of the account and of the person, by which a printed sheet is known again. */
  whose: readonly string[]
  at: EpochMs
}

/** Ten codes, shown once. */
export function recoveryCodesPage(made: MadeCodes, next: string): Markup {
  return (
    <div class="sheet">
      {flag}
      <h1>Your recovery codes</h1>
      <p>
        Each lets you in once, in place of your passkey or code. They are shown now and never again: keep them
        where you find them without this device.
      </p>
      {recoveryCodes(made)}
      <p>
        <a class="button big" href={next}>
          I have kept them
        </a>
      </p>
    </div>
  )
}

/** The codes to copy, to print and to keep as a file. A printed page has nothing else, see controls.css. */
export function recoveryCodes({ codes, whose, at }: MadeCodes): Markup {
  const title = `Wigwag recovery codes, ${dayOf(at)}`
  const file = [title, ...whose, '', ...codes, ''].join('\n')
  return (
    <div class="kept">
      <div class="on-paper">
        <p class="strong">{title}</p>
        {whose.map((name) => (
          <p>
            <bdi>{name}</bdi>
          </p>
        ))}
      </div>
      <ul class="codes mono" id="codes">
        {codes.map((code) => (
          <li>{code}</li>
        ))}
      </ul>
      <p class="together">
        {copyButton('codes', 'the codes')}
        <button type="button" class="second tiny" data-print="" hidden>
          Print
        </button>
        <a
          class="button second tiny"
          download="wigwag-recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
        >
          Save as a file
        </a>
      </p>
    </div>
  )
}
