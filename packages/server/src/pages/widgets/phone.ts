import { groupsOf } from '../../domain/phone/phone.ts'
import { partsOf, type Segmentation } from '../../domain/text/segments.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

export interface PhoneView {
  sender: string
  /** When it arrives. */
  time: Markup | string
  content: string
  encoding: Segmentation['encoding']
  /** What is said below the text. */
  below?: Markup
}

/** A text as a phone shows it. */
export function phone({ sender, time, content, encoding, below }: PhoneView): Markup {
  return markup`<div class="phone"><header><bdi>${sender}</bdi><small>${time}</small></header><div class="bubble" dir="auto">${cutText(content, encoding)}</div>${below}</div>`
}

/** A text with the places where it is cut. Every segment but the first says its number. */
function cutText(content: string, encoding: Segmentation['encoding']): Markup[] {
  return partsOf(content, encoding).map((part, index) =>
    index === 0
      ? markup`${part}`
      : markup`<span class="segment${index % 2 === 1 && ' tinted'}"><sup><span class="unseen">Segment </span>${index + 1}</sup>${part}</span>`,
  )
}

/** A number in the groups that people of its country write it in. */
export function phoneNumber(number: string): Markup {
  const [first = '', ...others] = groupsOf(number)
  return markup`<span class="phone-number">${first}${others.map((group) => markup`<i>${group}</i>`)}</span>`
}
