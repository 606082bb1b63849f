import { isFinal, STATUSES, type Status, settlementOf } from '../../domain/message.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { IconName } from '../icons.ts'
import { phoneTime } from '../times.ts'
import { failureWords } from '../widgets/answer.ts'
import { amountOf } from '../widgets/money.ts'
import { lookOf } from '../widgets/state.ts'
import type { StepsView } from './view.ts'

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
  const held = `${currency} ${amountOf(message.price)} held`
  switch (event) {
    case 'accepted':
      return { icon: 'dot', what: 'Accepted', note: held, lasts: 'here' }
    case 'scheduled':
      return {
        icon: 'calendar',
        what: 'Scheduled',
        note: markup`${held}, for ${phoneTime(message.sendAt, now)}`,
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
  return detail === undefined ? carrier : markup`${carrier !== undefined && markup`${carrier}<br>`}${detail}`
}

/** The carrier's name, and its reference for the message. */
function carrierOf({ carrier, references }: StepsView): Markup | undefined {
  const reference = references.length > 0 && markup`reference <bdi>${references.join(' ')}</bdi>`
  if (carrier === undefined) return reference || undefined
  return markup`${carrier}${reference && markup`, ${reference}`}`
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
  const money = `${currency} ${amountOf(price)} ${isCharged ? 'charged' : 'given back'}`
  const reason = failureReason !== undefined && markup`<bdi>${failureReason}</bdi><br>`
  return { icon, tone, what: word, note: markup`${reason}${money}` }
}
