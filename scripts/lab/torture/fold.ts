import type { Row } from '../report.ts'

/** As many scenes as a reader looks at one by one. */
const MOST_SCENES = 3

/** Puts what many scenes counted into one row, with the least and the most that was found. */
export function foldScenes(rows: readonly Row[]): Row[] {
  const groups = Map.groupBy(rows, ({ what, goal }) => `${whatOf(what)}\n${goal}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first || group.length <= MOST_SCENES) return group
    return [
      { ...first, what: `${whatOf(first.what)}, each of ${group.length} scenes`, figure: rangeOf(group) },
    ]
  })
}

/** A figure's name comes after that of its scene. */
function whatOf(what: string): string {
  return what.slice(what.indexOf(': ') + 2)
}

function rangeOf(rows: readonly Row[]): string {
  const numbers = rows.map(({ figure }) => Number(figure.replaceAll(',', '')))
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map((number) =>
    number.toLocaleString('en'),
  )
  return least === most ? `${least}` : `${least} to ${most}`
}
