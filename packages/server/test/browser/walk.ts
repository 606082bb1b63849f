import type { Page } from 'playwright-core'

/** Written as text, because it runs in the page, whose types are not those of this program. */
const CONTROLS = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), textarea, summary')]
  .filter((it) => it.checkVisibility() && !(it.type === 'radio' && !it.checked))`

export interface Walk {
  /** What can be seen and used, and is never reached. */
  unreached: string[]
  /** What is reached without a sign that it is. */
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

/** How far a page is wider than its window. */
export async function tooWideBy(page: Page): Promise<number> {
  // Text can be there before its stylesheet is.
  await page.waitForLoadState()
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}
