import { LONGEST_PASSWORD } from '../gateway/password.ts'
import { field } from './field.ts'
import type { LimitErrors } from './limits-form.ts'
import { type Markup, markup } from './markup.ts'

export const PASSWORD_NAME = 'password'

/** What is wrong in a form that lets an assistant send, by field. */
export type SendingErrors = LimitErrors & { password?: string }

const WHY = 'Asked again because you signed in more than ten minutes ago, and sending costs money.'

/** Asks for the password of who is signed in. What was typed into it never comes back. */
export function passwordField(id: string, { password: error }: SendingErrors): Markup {
  return field(
    { id: `${id}-password`, label: 'Your password', hint: WHY, error },
    (ties) =>
      markup`<input class="box" ${ties} type="password" name="${PASSWORD_NAME}" autocomplete="current-password" maxlength="${LONGEST_PASSWORD}">`,
  )
}
