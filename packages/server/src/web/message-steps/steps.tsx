import { isFinal } from '../../kernel/message.ts'
import { elapsed } from '../../kernel/time/spans.ts'
import type { Markup } from '../../net/pages/markup.ts'
import { icon } from '../icons.tsx'
import { duration, exactTime } from '../times.tsx'
import { openStepOf, type Step, type StepsView, stepsOf } from './step.tsx'

/** The shortest bar that can be seen, in percent. */
const LEAST = 0.8

/** A message's steps, each with its place in the whole time. */
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
  const total = isFinal(view.message.status) ? (
    <>in {duration(last - begun)}</>
  ) : (
    <>{counting(end - begun)} so far</>
  )
  return (
    <section class="sheet">
      <h2>
        What happened <span class="soft small">{total}</span>
      </h2>
      <ol class="steps-of">
        {items}
        {open && (
          <li class="wait">
            {icon(open.icon)}
            <div>
              <span class="what">{open.what}</span>
              <br />
              <span class="soft">{open.note}</span>
            </div>
            <div>
              <span class="took">{counting(end - last)}</span>
            </div>
          </li>
        )}
      </ol>
    </section>
  )
}

function stepItem(
  { now }: StepsView,
  { tone, icon: drawing, what, note, at }: Step,
  { took, bar }: { took: string; bar: Markup },
): Markup {
  return (
    <li class={tone}>
      {icon(drawing)}
      <div>
        <span class="what">{what}</span>
        {note !== undefined && (
          <>
            <br />
            <span class="soft">{note}</span>
          </>
        )}
      </div>
      <div>
        <span class="took">{took}</span>
        {exactTime(at, now)}
      </div>
      {bar}
    </li>
  )
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
  return (
    <svg class="fall" aria-hidden="true">
      <rect class="track" width="100%" height="100%" rx="2" />
      <rect class={kind} x={`${x.toFixed(2)}%`} width={`${width.toFixed(2)}%`} height="100%" rx="2" />
    </svg>
  )
}

/** A time that the script lets count up. */
function counting(ms: number): Markup {
  return <span data-elapsed={ms}>{elapsed(ms)}</span>
}
