import type { Place } from './profile.ts'
import { IDLE, stepOf } from './steps.ts'

const WIDTH = 1_200
const ROW = 17
const TOP = 58
/** Narrower boxes are left out. */
const NARROWEST = 0.6
const LETTER = 6.1
const COLOURS = [
  '#f4a582',
  '#92c5de',
  '#fddbc7',
  '#a6dba0',
  '#d9c3e8',
  '#f6e8a6',
  '#b8e0d2',
  '#e0b6b6',
  '#c5cae9',
]
const OTHER = '#d5d5d5'

/** The calls of one name from one place, and the calls from there. */
interface Flame {
  name: string
  where: string
  step: string
  us: number
  called: Map<string, Flame>
}

/**
 * A flame graph as a picture that needs nothing else: time from left to right, calls from top to bottom, the colour of
 * the step that a function's own time belongs to, and what it took when a pointer rests on it.
 */
export function flameGraph(title: string, places: readonly Place[], messages: number): string {
  const root: Flame = { name: title, where: '', step: '', us: 0, called: new Map() }
  for (const place of places) {
    if (place.selfUs > 0 && stepOf(place) !== IDLE) add(root, place)
  }
  const steps = biggestSteps(places).slice(0, COLOURS.length)
  const colourOf = (step: string) => COLOURS[steps.indexOf(step)] ?? OTHER
  const boxes: string[] = []
  let deepest = 0

  function draw({ name, where, step, us, called }: Flame, left: number, depth: number): void {
    const width = (us / root.us) * WIDTH
    if (width < NARROWEST) return
    deepest = Math.max(deepest, depth)
    const cost = `${(us / messages).toFixed(1)} µs a message, ${((us / root.us) * 100).toFixed(1)} %`
    const room = Math.floor((width - 4) / LETTER)
    const [x, y] = [left.toFixed(1), TOP + depth * ROW]
    const label =
      room > 2 ? `<text x="${(left + 2).toFixed(1)}" y="${y + 12}">${plain(name.slice(0, room))}</text>` : ''
    boxes.push(
      `<g><title>${plain([`${name} ${where}`.trim(), step, cost].filter(Boolean).join('\n'))}</title>` +
        `<rect x="${x}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colourOf(step)}"/>${label}</g>`,
    )
    let next = left
    for (const flame of [...called.values()].sort((a, b) => b.us - a.us)) {
      draw(flame, next, depth + 1)
      next += (flame.us / root.us) * WIDTH
    }
  }
  draw(root, 0, 0)

  const columns = 3
  const legend = steps.map((step, index) => {
    const [x, y] = [(index % columns) * (WIDTH / columns), 4 + Math.floor(index / columns) * ROW]
    return `<rect x="${x}" y="${y}" width="12" height="12" fill="${colourOf(step)}"/><text x="${x + 17}" y="${y + 10}">${plain(step)}</text>`
  })
  const height = TOP + (deepest + 1) * ROW + 4
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="monospace" font-size="10">`,
    '<title>Where the time of a message goes</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...legend,
    ...boxes,
    '</svg>\n',
  ].join('\n')
}

/** Adds a place's own time to its callers, from the first. */
function add(root: Flame, place: Place): void {
  const line: Place[] = []
  for (let one: Place | undefined = place; one?.parent; one = one.parent) line.unshift(one)
  let flame = root
  flame.us += place.selfUs
  for (const one of line) {
    const where = one.file === '' ? '' : `${one.file}:${one.line}`
    const key = `${one.name} ${where}`
    const next = flame.called.get(key) ?? {
      name: one.name,
      where,
      step: stepOf(one),
      us: 0,
      called: new Map(),
    }
    flame.called.set(key, next)
    next.us += place.selfUs
    flame = next
  }
}

function biggestSteps(places: readonly Place[]): string[] {
  const total = new Map<string, number>()
  for (const place of places) {
    const step = stepOf(place)
    total.set(step, (total.get(step) ?? 0) + place.selfUs)
  }
  total.delete(IDLE)
  return [...total].sort(([, a], [, b]) => b - a).map(([step]) => step)
}

function plain(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
