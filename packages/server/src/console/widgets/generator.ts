import { otpauthUrl } from '../../factors/index.ts'
import { field } from '../../platform/pages/forms.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

/** The fields of a form with which somebody takes a code generator. */
export function generatorFields({
  secret,
  email,
  error,
}: {
  secret: string
  email: string
  error: string | undefined
}): Markup {
  return markup`<p>Put this key into the app, or <a href="${otpauthUrl(secret, email, 'Wigwag')}">open it there</a>:</p>
<p><code class="address">${secret.replace(/.{4}(?=.)/g, '$& ')}</code></p>
<input type="hidden" name="secret" value="${secret}">
${field(
  { id: 'code', label: 'Code', hint: 'The six digits that the app shows now.', error },
  (ties) =>
    markup`<input class="box mono" ${ties} name="code" inputmode="numeric" autocomplete="one-time-code" required>`,
)}`
}
