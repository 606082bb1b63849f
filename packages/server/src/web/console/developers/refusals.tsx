import type { RefusalsOfHour } from '../../../accounts/index.ts'
import { ADVICE } from '../../../kernel/advice.ts'
import { catalogue, type ProblemCode } from '../../../kernel/errors.ts'
import { type EpochMs, epochMs } from '../../../kernel/ids.ts'
import { DAY_MS } from '../../../kernel/time/spans.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf } from '../../count.ts'
import { refusedRows } from '../widgets/refused-rows.tsx'

/** Requests that the page lists one by one. */
const NEWEST = 20

/** The refused requests of the last seven days: how many of each kind with what to do, and the newest. */
export function refusalsSheet(refusals: readonly RefusalsOfHour[], now: EpochMs): Markup {
  return (
    <section class="sheet" id="refused">
      <h2>Refused requests</h2>
      {refusals.length === 0 ? (
        <p>No request to the API was refused within seven days.</p>
      ) : (
        <>
          <p class="soft">
            Of the API, within seven days, without what they contained. A new one is here after a few seconds.
          </p>
          {codesList(refusals, now)}
          {newestRows(refusals, now)}
        </>
      )}
    </section>
  )
}

/** The newest of each code: a stranger may flood one, and hides no other by it. */
const OF_EACH = 5

/** How many there were of each code, the most frequent first, and what to do about it. */
function codesList(refusals: readonly RefusalsOfHour[], now: EpochMs): Markup {
  const today = now - (now % DAY_MS)
  const count = (some: readonly RefusalsOfHour[]) => some.reduce((total, { refused }) => total + refused, 0)
  const codes = [...Map.groupBy(refusals, ({ code }) => code)].map(([code, hours]) => {
    return { code, week: count(hours), today: count(hours.filter(({ hour }) => hour >= today)) }
  })
  return (
    <ul class="refusals">
      {codes
        .toSorted((a, b) => b.week - a.week)
        .map(({ code, week, today }) => (
          <li>
            {countOf(week)} × <span class="bad">{statusOf(code)}</span> <code>{code}</code>
            {today < week && <span class="soft"> ({today === 0 ? 'none' : countOf(today)} today)</span>}.{' '}
            {isCode(code) && written(ADVICE[code])}
          </li>
        ))}
    </ul>
  )
}

function newestRows(refusals: readonly RefusalsOfHour[], now: EpochMs): Markup {
  const newest = [...Map.groupBy(refusals, ({ code }) => code)]
    .flatMap(([code, hours]) =>
      hours
        .flatMap(({ latest }) => latest)
        .sort((a, b) => b.at - a.at)
        .slice(0, OF_EACH)
        .map(({ at, operation, client, ...refusal }) => ({
          ...refusal,
          at: epochMs(at),
          code,
          status: statusOf(code),
          what: operation === '' ? 'An unknown address' : operation,
          client: client === '' ? 'an assistant' : client,
        })),
    )
    .sort((a, b) => b.at - a.at)
    .slice(0, NEWEST)
  return refusedRows(newest, now)
}

/** A newer version may have written another. */
function isCode(code: string): code is ProblemCode {
  return Object.hasOwn(catalogue, code)
}

function statusOf(code: string): number {
  return isCode(code) ? catalogue[code][0] : 0
}

const MARKED = /`([^`]+)`|\*([^*]+)\*/

/** The advice with its code and its pages. */
function written(advice: string): Markup {
  const [before, code, page, ...after] = advice.split(MARKED)
  if (after.length === 0) return <>{before}</>
  return (
    <>
      {before}
      {code === undefined ? <span class="strong">{page}</span> : <code>{code}</code>}
      {written(advice.slice(advice.search(MARKED) + (MARKED.exec(advice)?.[0].length ?? 0)))}
    </>
  )
}
