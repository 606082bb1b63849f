import { field } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import type { Refusal } from '../../../sign-in/portal/index.ts'
import { generatorKey } from '../../widgets/generator.tsx'
import type { ConsoleParts } from '../parts.ts'

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
  return (
    <>
      {generatorKey({ secret, name: email, site: 'Wigwag' })}
      <input type="hidden" name="secret" value={secret} />
      {field({ id: 'code', label: 'Code', hint: 'The six digits that the app shows now.', error }, (ties) => (
        <input
          class="box mono"
          {...ties}
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          required
        />
      ))}
    </>
  )
}

/** Reads the passkey or the generator that a form registers. */
export function registrationIn(form: URLSearchParams): Parameters<ConsoleParts['factors']['add']>[1] {
  const passkey = form.get('passkey') ?? ''
  if (passkey !== '') return { passkey, name: form.get('name') ?? '' }
  return { secret: form.get('secret') ?? '', code: form.get('code') ?? '' }
}

/** The refusal of a form with a wrong field. */
export function unfit(error: string): Refusal {
  return { status: 422, error }
}
