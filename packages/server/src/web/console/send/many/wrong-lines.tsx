import type { Markup } from '../../../../net/pages/markup.ts'
import { countOf, several } from '../../../count.ts'
import type { Checked, Wrong } from './check.ts'

/** Wrong lines that a page shows. */
const SHOWN = 100

/** The lines that can't be sent, with a button that mends the list. */
export function wrongLines({ lines, wrong }: Checked): Markup {
  const rows = wrong.slice(0, SHOWN).map(({ line, why, clean }) => (
    <tr role="row">
      <td role="cell" class="num">
        {countOf(line.line)}
      </td>
      <td role="cell" class="mono">
        <bdi>{shortened(line.to)}</bdi>
      </td>
      <td role="cell">
        {why}
        {clean !== undefined && (
          <>
            {' '}
            <span class="soft">Cleaned: {clean}</span>
          </>
        )}
      </td>
    </tr>
  ))
  const more = wrong.length - rows.length
  return (
    <div class="sheet">
      <div class="note bad" role="alert">
        <p>
          <span class="strong">Nothing was sent.</span> A list goes whole or not at all, and{' '}
          {countOf(wrong.length)} of {several(lines.length, 'line')} can’t be sent.
        </p>
      </div>
      <table class="field inside wrong-lines" role="table">
        <caption class="unseen">Lines that can’t be sent</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col" class="num">
              Line
            </th>
            <th role="columnheader" scope="col">
              To
            </th>
            <th role="columnheader" scope="col">
              What is wrong
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">{rows}</tbody>
      </table>
      {more > 0 && <p class="soft">And {countOf(more)} more.</p>}
      <p class="together">
        <button name="do" value="mend">
          {mendWords(wrong)}
        </button>
        {edit}
      </p>
    </div>
  )
}

/** `Clean line 118, leave out line 640`, or how many of each. */
export function mendWords(wrong: readonly Wrong[]): string {
  const cleaned = wrong.filter(({ clean }) => clean !== undefined)
  const leftOut = wrong.filter(({ clean }) => clean === undefined)
  const parts = [
    ...(cleaned.length > 0 ? [`clean ${linesInWords(cleaned)}`] : []),
    ...(leftOut.length > 0 ? [`leave out ${linesInWords(leftOut)}`] : []),
  ]
  const text = parts.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function linesInWords(wrong: readonly Wrong[]): string {
  const [only] = wrong
  return only && wrong.length === 1 ? `line ${countOf(only.line.line)}` : several(wrong.length, 'line')
}

/** The button that goes back to the form of the list. */
export const edit = (
  <button class="second" name="do" value="edit">
    Edit the list
  </button>
)

export function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
