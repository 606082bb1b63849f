import { groupsOf } from '../../kernel/phone/phone.ts'
import { partsOf, type Segmentation } from '../../kernel/text/segments.ts'
import type { Markup } from '../../net/pages/markup.ts'

export interface PhoneView {
  sender: string
  /** When it arrives. */
  time: Markup | string
  content: string
  encoding: Segmentation['encoding']
  /** Stands below the text. */
  below?: Markup
}

/** A text as a phone shows it. */
export function phone({ sender, time, content, encoding, below }: PhoneView): Markup {
  return (
    <div class="phone">
      <header>
        <bdi>{sender}</bdi>
        <small>{time}</small>
      </header>
      <div class="bubble" dir="auto">
        {cutText(content, encoding)}
      </div>
      {below}
    </div>
  )
}

/** A text with the places where it is cut. Every segment but the first says its number. */
function cutText(content: string, encoding: Segmentation['encoding']): (Markup | string)[] {
  return partsOf(content, encoding).map((part, index) =>
    index === 0 ? (
      part
    ) : (
      <span class={`segment${index % 2 === 1 ? ' tinted' : ''}`}>
        <sup>
          <span class="unseen">Segment </span>
          {index + 1}
        </sup>
        {part}
      </span>
    ),
  )
}

/** A number in the groups that people of its country write it in. */
export function phoneNumber(number: string): Markup {
  const [first = '', ...others] = groupsOf(number)
  return (
    <span class="phone-number">
      {first}
      {others.map((group) => (
        <i>{group}</i>
      ))}
    </span>
  )
}

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

/** A country's name, or the code when it is none. Numbers that belong to no country have 001 in its place. */
export function countryName(code: string): string {
  if (code === '001') return 'International'
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code
}
