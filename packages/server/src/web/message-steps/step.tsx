import type { Micros } from '@wigwag/contract'
import type { EpochMs } from '../../kernel/ids.ts'
import { isFinal, STATUSES, type Status, settlementOf } from '../../kernel/message.ts'
import type { Markup } from '../../net/pages/markup.ts'
import type { JobKind } from '../../store/schema/schema.ts'
import type { IconName } from '../icons.tsx'
import { dayAndTime, phoneTime } from '../times.tsx'
import { failureWords } from '../widgets/answer.tsx'
import { money } from '../widgets/money.tsx'
import { lookOf } from '../widgets/state.tsx'

/** One step of a message's life, in words. */
export interface Step {
  at: number
  icon: IconName
  what: string
  note?: Markup | string | undefined
  tone?: 'good' | 'bad' | 'wait' | 'idle'
  /** Where the time until the next step is spent; undefined for a step that takes none. */
  lasts?: 'here' | 'carrier'
}

/** The recorded steps of a message, in order. */
export function stepsOf(view: StepsView): Step[] {
  // Of a callback that was posted often the newest attempts are kept.
  let attempts = (view.callback?.attempts[0]?.seq ?? 1) - 1
  return view.timeline.map((entry) => {
    if (entry.event.startsWith('callback_')) attempts++
    return { at: entry.at, ...meaningOf(view, entry, attempts) }
  })
}

function meaningOf(
  view: StepsView,
  { event, detail }: StepsView['timeline'][number],
  attempt: number,
): Omit<Step, 'at'> {
  const { message, currency, now } = view
  const held = `${money(message.price, currency)} held`
  switch (event) {
    case 'accepted':
      return { icon: 'dot', what: 'Accepted', note: held, lasts: 'here' }
    case 'scheduled':
      return {
        icon: 'calendar',
        what: 'Scheduled',
        note: (
          <>
            {held}, for {phoneTime(message.sendAt, now)}
          </>
        ),
        lasts: 'here',
      }
    case 'due':
      return { icon: 'clock', what: 'Its time had come', lasts: 'here' }
    case 'submitted':
      return { icon: 'send', what: 'Handed to the carrier', note: handedTo(view, detail), lasts: 'carrier' }
    case 'callback_delivered':
      return { icon: 'disc', tone: 'good', what: 'Callback delivered', note: attemptNote(attempt, detail) }
    case 'callback_failed':
      return { icon: 'cross', tone: 'bad', what: 'Callback failed', note: attemptNote(attempt, detail) }
    case 'receipt':
      return { icon: 'triangle', tone: 'idle', what: 'Late receipt', note: detail }
    default:
      return endOf(view, event)
  }
}

/** The carrier and what is not known of it. */
function handedTo(view: StepsView, detail: string | undefined): Markup | undefined {
  const carrier = carrierOf(view)
  return detail === undefined ? (
    carrier
  ) : (
    <>
      {carrier !== undefined && (
        <>
          {carrier}
          <br />
        </>
      )}
      {detail}
    </>
  )
}

/** The carrier's name, and its reference for the message. */
function carrierOf({ carrier, references }: StepsView): Markup | undefined {
  const reference = references.length > 0 && (
    <>
      reference <bdi>{references.join(' ')}</bdi>
    </>
  )
  if (carrier === undefined) return reference || undefined
  return (
    <>
      {carrier}
      {reference && <>, {reference}</>}
    </>
  )
}

function attemptNote(attempt: number, detail = ''): string {
  return `attempt ${attempt}, ${failureWords(detail)}`
}

/** The step that made the message final. */
function endOf({ message, failureReason, currency }: StepsView, event: string): Omit<Step, 'at'> {
  const status = STATUSES.find((one): one is Status => one === event)
  if (!status || !isFinal(status)) return { icon: 'dot', what: event }
  const { tone, icon, word } = lookOf(status)
  const { price } = message
  const isCharged = settlementOf(status) === 'post'
  const paid = `${money(price, currency)} ${isCharged ? 'charged' : 'released'}`
  const reason = failureReason !== undefined && (
    <>
      <bdi>{failureReason}</bdi>
      <br />
    </>
  )
  return {
    icon,
    tone,
    what: word,
    note: (
      <>
        {reason}
        {paid}
      </>
    ),
  }
}

/** The step that a message waits for. */
export interface OpenStep {
  icon: IconName
  what: string
  note: Markup
}

/** The step that is not over; undefined when nothing more is to happen. */
export function openStepOf({ waiting, callback, now }: StepsView): OpenStep | undefined {
  if (!waiting) return callback?.state === 'pending' ? untilPosted(callback, now) : undefined
  const expires = <>expires {dayAndTime(waiting.expiresAt)}, unless</>
  switch (waiting.for) {
    case 'scheduled':
      return {
        icon: 'calendar',
        what: 'Waiting for its time',
        note: <>it can be cancelled until then</>,
      }
    case 'dispatch':
      return {
        icon: 'clock',
        what: 'Waiting to be handed over',
        note: (
          <>
            {waiting.carrier !== undefined && `to ${waiting.carrier}; `}
            {expires} taken before
          </>
        ),
      }
    default:
      return { icon: 'clock', what: 'Waiting for the carrier', note: <>{expires} told before</> }
  }
}

function untilPosted({ attempts, nextAttemptAt }: StepsCallback, now: StepsView['now']): OpenStep {
  const soon = nextAttemptAt === undefined || nextAttemptAt <= now
  const when = soon ? <>now</> : phoneTime(nextAttemptAt, now)
  const what = attempts.length === 0 ? 'Posting the callback' : 'Waiting to post the callback again'
  return {
    icon: 'again',
    what,
    note: (
      <>
        attempt {(attempts.at(-1)?.seq ?? 0) + 1}, {when}
      </>
    ),
  }
}

export interface StepsView {
  now: EpochMs
  currency: string
  message: { status: Status; price: Micros; sendAt: number }
  /** The recorded events, in order. */
  timeline: readonly { at: number; event: string; detail?: string }[]
  /** Why it failed, as its customer reads it. */
  failureReason: string | undefined
  /** The carrier that has it, had it or shall get it. */
  carrier: string | undefined
  /** The carrier's references of the message. */
  references: readonly string[]
  /** Undefined when it is final. */
  waiting: { for: JobKind; carrier: string | undefined; expiresAt: number } | undefined
  /** With its newest attempts. */
  callback: StepsCallback | undefined
}

export interface StepsCallback {
  state: 'pending' | 'delivered' | 'dead'
  attempts: readonly { seq: number }[]
  nextAttemptAt: number | undefined
}
