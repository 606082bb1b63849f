import type { EpochMs } from '../../../../kernel/ids.ts'
import type { Status } from '../../../../kernel/message.ts'
import type { Progress } from '../../../../messages/sending/index.ts'
import type { Markup } from '../../../../net/pages/markup.ts'
import { countOf } from '../../../count.ts'
import { icon } from '../../../icons.tsx'
import { duration, listTime } from '../../../times.tsx'
import { money } from '../../../widgets/money.tsx'
import { lookOf } from '../../../widgets/state.tsx'

interface ProgressView {
  progress: Progress
  currency: string
  now: EpochMs
}

const ORDER: readonly Status[] = [
  'success',
  'undelivered',
  'expired',
  'rejected',
  'failed',
  'cancelled',
  'pending',
  'scheduled',
]
/** How much of a text stands for a bulk. */
const SHOWN = 60

/** How far a bulk is. Its script asks again while the page says that it is not done. */
export function progressPage({ progress, currency, now }: ProgressView): Markup {
  const { accepted, final, byStatus, held, acceptedAt, first } = progress
  const isDone = final === accepted
  const left = isDone ? undefined : timeLeft(progress, now)
  const text = first.content.length > SHOWN ? `${first.content.slice(0, SHOWN)}…` : first.content
  const states = ORDER.flatMap((status) => {
    const count = byStatus.get(status)
    return count === undefined ? [] : [stateCount(status, count)]
  })
  return (
    <section class="sheet" id="progress" aria-labelledby="progress-of" data-again={!isDone ? '' : undefined}>
      <div class="head">
        <h2 id="progress-of" dir="auto">
          {text}
        </h2>
        <span class="soft small">
          accepted {listTime(acceptedAt, now)} UTC{held > 0 && `, ${money(held, currency)} held`}
        </span>
        <span class="end">
          <a class="button second tiny" href={`/messages?q=${encodeURIComponent(`from:"${first.sender}"`)}`}>
            See them in the inbox
          </a>
        </span>
      </div>
      <p class="together nums">
        <span class="strong" id="progress-count">
          {countOf(final)} of {countOf(accepted)} are final
        </span>
        {left !== undefined && <span class="soft">about {left} left</span>}
      </p>
      <progress value={final} max={accepted} aria-labelledby="progress-count" />
      <p class="legend nums">{states}</p>
    </section>
  )
}

function stateCount(status: Status, count: number): Markup {
  const { tone, icon: drawing, word } = lookOf(status)
  return (
    <span class={`state ${tone}`}>
      {icon(drawing)}
      {countOf(count)} {word.toLowerCase()}
    </span>
  )
}

/** A pace can be estimated only while messages become final. */
const MOVING_MS = 10_000

function timeLeft({ accepted, final, acceptedAt, latestAt }: Progress, now: EpochMs): string | undefined {
  if (latestAt === undefined || now - latestAt > MOVING_MS) return undefined
  const ms = ((now - acceptedAt) * (accepted - final)) / final
  return duration(Math.max(1_000, Math.round(ms / 1_000) * 1_000))
}

/** Shown when no answer is stored for the key. */
export const noProgress: Markup = (
  <section class="sheet">
    <h2>There is no progress to show here</h2>
    <p>
      It is kept for 24 hours after sending, and only the person who sent can see it. The messages themselves
      stay in the inbox.
    </p>
    <p class="together">
      <a class="button" href="/messages">
        See the inbox
      </a>
      <a class="button second" href="/send/many">
        Send to many
      </a>
    </p>
  </section>
)
