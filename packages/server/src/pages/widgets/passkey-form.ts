import { type Markup, markup } from '../../platform/pages/markup.ts'

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
  return markup`<form method="post" action="${action}" data-passkey="${options}" data-kind="${kind}"${offered && markup` data-offered`} hidden>${hidden}<input type="hidden" name="passkey" value="">
<p><button class="${look}">${button}</button></p><p class="wrong" role="alert" hidden>The browser gave no passkey. Try again.</p></form>
<noscript><p class="note">A passkey needs the script of this page, which the browser does not run.</p></noscript>`
}
