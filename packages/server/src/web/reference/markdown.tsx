import type { Markup } from '../../net/pages/markup.ts'

/**
 * The Markdown that the document's descriptions are written in: headings, paragraphs, lists, tables, `code`, **strong**,
 * *emphasis*. The reference's tests look for any other mark that is left in the text.
 */
export function markdown(text: string): Markup {
  return <>{blocksOf(text).map(block)}</>
}

/** Runs of lines, between empty ones. */
function blocksOf(text: string): string[][] {
  return text
    .split(/\n\s*\n/)
    .map((block) => block.split('\n').filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 0)
}

function block(lines: readonly string[]): Markup {
  const [first = ''] = lines
  if (first.startsWith('## ')) return <h2 id={anchorOf(first.slice(3))}>{first.slice(3)}</h2>
  if (first.startsWith('|')) return table(lines)
  if (first.startsWith('1. ')) return <ol class="counted">{items(lines)}</ol>
  return <p>{inline(lines.join(' '))}</p>
}

/** The name by which links find a heading. */
export function anchorOf(heading: string): string {
  return heading.toLowerCase().replace(/[^a-z]+/g, '-')
}

/** The headings of a text, for a table of contents. */
export function headingsOf(text: string): string[] {
  return [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
}

function items(lines: readonly string[]): Markup[] {
  const all: string[] = []
  for (const line of lines) {
    const [, begun] = /^\d+\. (.*)$/.exec(line) ?? []
    if (begun !== undefined) all.push(begun)
    else all.push(`${all.pop() ?? ''} ${line.trim()}`)
  }
  return all.map((item) => <li>{inline(item)}</li>)
}

function table([head = '', , ...rows]: readonly string[]): Markup {
  const cells = (row: string) => row.split('|').slice(1, -1)
  return (
    <div class="scrolls" tabindex={0}>
      <table>
        <thead>
          <tr>
            {cells(head).map((cell) => (
              <th scope="col">{inline(cell.trim())}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {cells(row).map((cell) => (
                <td>{inline(cell.trim())}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const MARKED = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*/g

function inline(text: string): Markup {
  const parts: (string | Markup)[] = []
  let at = 0
  for (const { 0: whole, 1: code, 2: strong, 3: emphasis, index } of text.matchAll(MARKED)) {
    parts.push(text.slice(at, index))
    if (code !== undefined) parts.push(<code>{code}</code>)
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>)
    else parts.push(<em>{emphasis}</em>)
    at = index + whole.length
  }
  return <>{[...parts, text.slice(at)]}</>
}
