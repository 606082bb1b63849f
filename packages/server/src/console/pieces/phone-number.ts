import { groupsOf } from '../../domain/phone/phone.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

/** A number in the groups that people of its country write it in. */
export function phoneNumber(number: string): Markup {
  const [first = '', ...others] = groupsOf(number)
  return markup`<span class="phone-number">${first}${others.map((group) => markup`<i>${group}</i>`)}</span>`
}
