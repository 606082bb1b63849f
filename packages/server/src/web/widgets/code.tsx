import type { Markup } from '../../net/pages/markup.ts'

/** Copies the text of an element. It appears with the script, which does the copying. */
export function copyButton(id: string, what?: string): Markup {
  return (
    <button type="button" class="second tiny" data-copy={id} hidden>
      Copy{what !== undefined && <span class="unseen"> {what}</span>}
    </button>
  )
}

/** Text to copy. */
export function codeBox(id: string, text: string, wrap?: 'wrap'): Markup {
  return (
    <div class={`code${wrap ? ' wrap' : ''}`}>
      <pre tabindex={0} id={id}>
        {text}
      </pre>
      {copyButton(id)}
    </div>
  )
}

/** A tab and what it shows. */
interface Tab {
  name: string
  body: Markup
}

/** Up to five tabs. They are radio buttons, so they work without a script. */
export function tabs(id: string, title: string, all: readonly Tab[]): Markup {
  const labels = all.map(({ name }, index) => (
    <label>
      <input class={`unseen tab-${index + 1}`} type="radio" name={id} checked={index === 0} />
      {name}
    </label>
  ))
  const panels = all.map(({ body }, index) => <div class={`tab tab-${index + 1}`}>{body}</div>)
  return (
    <fieldset class="tabs">
      <legend class="unseen">{title}</legend>
      {labels}
      {panels}
    </fieldset>
  )
}
