import { isFinal } from '../../domain/message.ts'
import { fillOf, type Segmentation, segmentsOf } from '../../domain/text/segments.ts'
import { segmentsInWords } from '../../domain/text/text-count.ts'
import { phoneTime } from '../../pages/times.ts'
import { phone } from '../../pages/widgets/phone.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { OpenMessage } from './read.ts'

/** The text as a phone shows it, with what it takes. */
export function phoneSheet(view: OpenMessage): Markup {
  const { sender, content, encoding, segments } = view.message
  const { used } = fillOf(content, { encoding, segments })
  const characters = used === 1 ? '1 character' : `${used.toLocaleString('en')} characters`
  const below = markup`<small>${characters}, ${segmentsInWords(segments)}, ${encoding}${because(content, encoding)}</small>`
  return markup`<section class="sheet" aria-label="On the phone">${phone({ sender, time: arrival(view), content, encoding, below })}</section>`
}

function because(content: string, encoding: Segmentation['encoding']): Markup | false {
  const { unicodeCause } = segmentsOf(content)
  if (encoding === 'GSM-7' || unicodeCause === undefined) return false
  const code = (unicodeCause.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return markup` because of <bdi>${unicodeCause}</bdi> (U+${code})`
}

function arrival({ message: { status, effectedAt, sendAt }, now }: OpenMessage): Markup | string {
  if (status === 'success') return phoneTime(effectedAt, now)
  if (status === 'scheduled') return markup`goes out ${phoneTime(sendAt, now)}`
  return isFinal(status) ? 'not delivered' : 'not on the phone yet'
}
