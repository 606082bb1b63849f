import { type Markup, markup } from '../../platform/pages/markup.ts'

export interface FormField {
  /** Unique on its page. */
  id: string
  label: string
  optional?: boolean
  hint?: string | Markup | undefined
  error?: string | undefined
  /** Ids of what also describes the field. */
  described?: string
}

/** A field with its label, what is wrong with it, and a hint below. */
export function formField(
  { id, label, optional, hint, error, described }: FormField,
  control: (ties: Markup) => Markup,
): Markup {
  const by = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`, described]
    .filter((part) => part)
    .join(' ')
  const ties = markup`id="${id}"${by !== '' && markup` aria-describedby="${by}"`}${error !== undefined && markup` aria-invalid="true"`}`
  return markup`<div class="field"><label for="${id}">${label}${optional && markup` <span class="soft">(optional)</span>`}</label>${error !== undefined && markup`<span class="wrong" id="${id}-error">${error}</span>`}
${control(ties)}${hint !== undefined && markup`<span class="hint" id="${id}-hint">${hint}</span>`}</div>`
}

/** A field of several lines. The line break at its beginning is not part of the text: browsers drop one there. */
export function textArea(ties: Markup, text: string): Markup {
  return markup`<textarea ${ties}>
${text}</textarea>`
}
