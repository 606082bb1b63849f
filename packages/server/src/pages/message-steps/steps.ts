import { elapsed } from '../../domain/elapsed.ts'
import { isFinal } from '../../domain/message.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { icon } from '../icons.ts'
import { duration, exactTime } from '../times.ts'
import { openStepOf } from './open-step.ts'
import { type Step, stepsOf } from './step.ts'
import type { StepsView } from './view.ts'

/** The shortest bar that can be seen, in percent. */
const LEAST = 0.8

/** What happened to a message, step by step, with each step's place in the whole time. */
export function stepsSheet(view: StepsView): Markup {
  const steps = stepsOf(view)
  const open = openStepOf(view)
  const begun = steps[0]?.at ?? view.now
  const last = steps.at(-1)?.at ?? begun
  const end = open ? Math.max(view.now, last) : last
  const items = steps.map((step, index) => {
    const next = steps[index + 1]?.at ?? end
    return stepItem(view, step, {
      took: index === 0 ? '0' : `+${duration(step.at - (steps[index - 1]?.at ?? step.at))}`,
      bar: barOf(step, { begun, next, whole: end - begun }),
    })
  })
  const total = isFinal(view.message.status)
    ? markup`in ${duration(last - begun)}`
    : markup`${counting(end - begun)} so far`
  return markup`<section class="sheet"><h2>What happened <span class="soft small">${total}</span></h2><ol class="steps-of">${items}${
    open &&
    markup`<li class="wait">${icon(open.icon)}<div><span class="what">${open.what}</span><br><span class="soft">${open.note}</span></div><div><span class="took">${counting(end - last)}</span></div></li>`
  }</ol></section>`
}

function stepItem(
  { now }: StepsView,
  { tone, icon: drawing, what, note, at }: Step,
  { took, bar }: { took: string; bar: Markup },
): Markup {
  return markup`<li${tone !== undefined && markup` class="${tone}"`}>${icon(drawing)}<div><span class="what">${what}</span>${note !== undefined && markup`<br><span class="soft">${note}</span>`}</div><div><span class="took">${took}</span>${exactTime(at, now)}</div>${bar}</li>`
}

/** A step that takes time lasts until the next one; any other is a point. */
function barOf(
  { at, lasts, tone }: Step,
  { begun, next, whole }: { begun: number; next: number; whole: number },
): Markup {
  const share = (ms: number) => (whole === 0 ? 0 : (100 * ms) / whole)
  const width = Math.max(LEAST, lasts ? share(next - at) : 0)
  const x = Math.min(share(at - begun), 100 - width)
  const kind = lasts === 'here' ? 'bar-quiet' : tone === 'bad' ? 'bar-bad' : 'bar'
  return markup`<svg class="fall" aria-hidden="true"><rect class="track" width="100%" height="100%" rx="2"/><rect class="${kind}" x="${x.toFixed(2)}%" width="${width.toFixed(2)}%" height="100%" rx="2"/></svg>`
}

/** A time that the script lets count up. */
function counting(ms: number): Markup {
  return markup`<span data-elapsed="${ms}">${elapsed(ms)}</span>`
}
