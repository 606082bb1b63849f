import type { Markup } from '../../net/pages/markup.ts'

interface Titled {
  title: string | Markup
  class?: string
}

/** Of a column of text the title is enough. */
export type Column = string | Titled

/** The head of a table. */
export function tableHead(...columns: readonly Column[]): Markup {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const { title, class: look }: Titled = typeof column === 'string' ? { title: column } : column
          return (
            <th scope="col" class={look}>
              {title}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

/** A column of numbers. */
export function num(title: string, also?: 'wide' | 'roomy'): Titled {
  return { title, class: also ? `num ${also}` : 'num' }
}

/** A column whose title is only read out. */
export function unseen(title: string): Titled {
  return { title: <span class="unseen">{title}</span> }
}
