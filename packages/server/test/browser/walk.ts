import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Written as text, because it runs in the page, whose types are not those of this program. */
const CONTROLS = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), textarea, summary')]
  .filter((it) => it.checkVisibility() && !(it.type === 'radio' && !it.checked))`

export interface Walk {
  /** Visible controls that the Tab key never reaches. */
  unreached: string[]
  /** Controls that are reached without a visible outline. */
  unmarked: string[]
}

/** Goes through a page with the Tab key alone. Of several radio buttons, the chosen one stands for all. */
export async function walkByKeyboard(page: Page): Promise<Walk> {
  await page.waitForLoadState()
  const names = await page.evaluate<string[]>(`${CONTROLS}.map((it) => it.outerHTML.slice(0, 160))`)
  const reached = new Set<number>()
  const unmarked = new Set<string>()
  for (let presses = 0; presses < 2 * names.length + 4 && reached.size < names.length; presses++) {
    await page.keyboard.press('Tab')
    const [index, marked] = await page.evaluate<[number, boolean]>(`(() => {
      const it = document.activeElement
      const { outlineStyle, outlineWidth } = getComputedStyle(it)
      return [${CONTROLS}.indexOf(it), outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2]
    })()`)
    if (index === -1) continue
    reached.add(index)
    if (!marked) unmarked.add(names[index] ?? '')
  }
  return { unreached: names.filter((_, index) => !reached.has(index)), unmarked: [...unmarked] }
}

export interface Screen {
  width: number
  theme: 'light' | 'dark'
}

/** The rules that axe checks. */
export type Rules = 'all' | 'of colours' | 'none'

/** The layout changes at 56 rem alone, and a theme changes colours alone: more looks, or more rules, find nothing more. */
const SCREENS: readonly (Screen & { rules: Rules })[] = [
  { width: 1_440, theme: 'light', rules: 'all' },
  { width: 1_024, theme: 'light', rules: 'none' },
  { width: 360, theme: 'light', rules: 'all' },
  { width: 1_440, theme: 'dark', rules: 'of colours' },
]

/** Nothing sticks out of a page, and axe finds nothing, in each of the looks. */
export async function onEachScreen(
  page: Page,
  look: (rules: Rules) => Promise<void> = (rules) => looksRight(page, rules),
): Promise<void> {
  for (const { width, theme, rules } of SCREENS) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: theme })
    await look(rules)
  }
  await page.setViewportSize({ width: 1_440, height: 900 })
}

/** Nothing sticks out of a page as it is now, and axe finds nothing. */
export async function looksRight(page: Page, rules: Rules = 'all'): Promise<void> {
  const seen = await page.evaluate<string>(
    "innerWidth + (matchMedia('(prefers-color-scheme: dark)').matches ? ' in the dark' : '')",
  )
  const where = `${page.url()} at ${seen}`
  expect(await tooWideBy(page), where).toBe(0)
  if (rules !== 'none') expect(await axeFindings(page, rules), where).toEqual([])
}

const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** Axe's findings of any grade, each with its element. */
export async function axeFindings(page: Page, rules: Exclude<Rules, 'none'> = 'all'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const options = {
    resultTypes: ['violations'],
    ...(rules === 'of colours' && { runOnly: RULES_OF_COLOURS }),
  }
  return page.evaluate<string[]>(`axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html.slice(0, 200) + ' ' + node.failureSummary)))`)
}

/** How far a page is wider than its window. */
export async function tooWideBy(page: Page): Promise<number> {
  // Text can be there before its stylesheet is.
  await page.waitForLoadState()
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}
