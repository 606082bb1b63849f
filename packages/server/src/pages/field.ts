import { type Markup, markup } from './markup.ts'

export interface Field {
  /** Unique on its page. */
  id: string
  label: string
  hint?: string | undefined
  error?: string | undefined
}

/** A label, what is expected, what is wrong, and the control, tied together for whoever does not see them. */
export function field({ id, label, hint, error }: Field, control: (ties: Markup) => Markup): Markup {
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  const ties = markup`id="${id}"${described && markup` aria-describedby="${described}"`}${error && markup` aria-invalid="true"`}`
  return markup`<div class="field">
<label for="${id}">${label}</label>
${hint && markup`<span class="hint" id="${id}-hint">${hint}</span>`}
${error && markup`<span class="wrong" id="${id}-error">${error}</span>`}
${control(ties)}
</div>`
}
