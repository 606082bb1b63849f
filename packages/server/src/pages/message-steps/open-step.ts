import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { IconName } from '../icons.ts'
import { dayAndTime, phoneTime } from '../times.ts'
import type { StepsCallback, StepsView } from './view.ts'

/** What a message waits for now. */
export interface OpenStep {
  icon: IconName
  what: string
  note: Markup
}

/** The step that is not over; undefined when nothing more is to happen. */
export function openStepOf({ waiting, callback, now }: StepsView): OpenStep | undefined {
  if (!waiting) return callback?.state === 'pending' ? untilPosted(callback, now) : undefined
  const expires = markup`expires ${dayAndTime(waiting.expiresAt)}, unless`
  switch (waiting.for) {
    case 'scheduled':
      return {
        icon: 'calendar',
        what: 'Waiting for its time',
        note: markup`it can be cancelled until then`,
      }
    case 'dispatch':
      return {
        icon: 'clock',
        what: 'Waiting to be handed over',
        note: markup`${waiting.carrier !== undefined && `to ${waiting.carrier}; `}${expires} taken before`,
      }
    default:
      return { icon: 'clock', what: 'Waiting for the carrier', note: markup`${expires} told before` }
  }
}

function untilPosted({ attempts, nextAttemptAt }: StepsCallback, now: StepsView['now']): OpenStep {
  const soon = nextAttemptAt === undefined || nextAttemptAt <= now
  const when = soon ? markup`now` : phoneTime(nextAttemptAt, now)
  const what = attempts.length === 0 ? 'Posting the callback' : 'Waiting to post the callback again'
  return { icon: 'again', what, note: markup`attempt ${(attempts.at(-1)?.seq ?? 0) + 1}, ${when}` }
}
