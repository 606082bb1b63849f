import type { Status } from '../../kernel/message.ts'
import type { SenderStatus } from '../../kernel/principal.ts'
import type { Markup } from '../../net/pages/markup.ts'
import { type IconName, icon } from '../icons.tsx'

interface Look {
  tone: 'good' | 'wait' | 'bad' | 'idle'
  icon: IconName
  word: string
}

const LOOKS: Readonly<Record<Status, Look>> = {
  scheduled: { tone: 'wait', icon: 'calendar', word: 'Scheduled' },
  pending: { tone: 'wait', icon: 'clock', word: 'Pending' },
  success: { tone: 'good', icon: 'disc', word: 'Delivered' },
  undelivered: { tone: 'bad', icon: 'triangle', word: 'Undelivered' },
  expired: { tone: 'bad', icon: 'hourglass', word: 'Expired' },
  rejected: { tone: 'bad', icon: 'octagon', word: 'Rejected' },
  failed: { tone: 'bad', icon: 'cross', word: 'Failed' },
  cancelled: { tone: 'idle', icon: 'broken', word: 'Cancelled' },
}

const CALLBACK_LOOKS = {
  pending: { tone: 'wait', icon: 'again', word: 'Retrying' },
  delivered: { tone: 'good', icon: 'tick', word: 'Delivered' },
  dead: { tone: 'bad', icon: 'cross', word: 'Given up' },
} as const satisfies Record<string, Look>

export type CallbackState = keyof typeof CALLBACK_LOOKS

const SENDER_LOOKS = {
  approved: { tone: 'good', icon: 'disc', word: 'Approved' },
  pending: { tone: 'wait', icon: 'clock', word: 'Pending' },
  rejected: { tone: 'bad', icon: 'octagon', word: 'Rejected' },
} as const satisfies Record<SenderStatus, Look>

/** The word for a status, as the console uses it everywhere. */
export function wordOf(status: Status): string {
  return LOOKS[status].word
}

/** How a status looks: its tone and its icon. */
export function lookOf(status: Status): Look {
  return LOOKS[status]
}

/** A status: a shape, a word and a colour, so that none of the three is needed alone. */
export function statusMark(status: Status, also?: 'strong'): Markup {
  const { tone, icon: drawing, word } = LOOKS[status]
  return (
    <span class={`state ${tone}${also ? ` ${also}` : ''}`}>
      {icon(drawing)}
      <span class="word">{word}</span>
    </span>
  )
}

/** A callback's state. */
export function callbackMark(state: CallbackState): Markup {
  return mark(CALLBACK_LOOKS[state])
}

/** The state of a sender ID. */
export function senderMark(status: SenderStatus): Markup {
  return mark(SENDER_LOOKS[status])
}

function mark({ tone, icon: drawing, word }: Look): Markup {
  return (
    <span class={`state ${tone}`}>
      {icon(drawing)}
      <span class="word">{word}</span>
    </span>
  )
}
