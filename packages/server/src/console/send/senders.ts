import type { SenderStatus } from '../../platform/http/principal.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { formField } from './field.ts'

const WHY_NOT = { pending: 'waits for approval', rejected: 'was not approved' } as const

export interface SenderField {
  senders: ReadonlyMap<string, SenderStatus>
  chosen: string
  error: string | undefined
}

/** The choice among the account's sender IDs. Those that may not be used yet say why. */
export function senderField({ senders, chosen, error }: SenderField): Markup {
  const options = [...senders].map(([name, status]) =>
    status === 'approved'
      ? markup`<option${name === chosen && markup` selected`}>${name}</option>`
      : markup`<option disabled value="${name}">${name} (${WHY_NOT[status]})</option>`,
  )
  return formField(
    { id: 'From', label: 'From', error },
    (ties) => markup`<select class="box" ${ties} name="From">${options}</select>`,
  )
}

/** The sender that a form begins with: the one asked for, else the first that is approved; undefined without any. */
export function firstSender(senders: ReadonlyMap<string, SenderStatus>, wanted: string): string | undefined {
  if (senders.get(wanted) === 'approved') return wanted
  return [...senders].find(([, status]) => status === 'approved')?.[0]
}

/** In place of the form, while no sender ID can be used. */
export function noSender(senders: ReadonlyMap<string, SenderStatus>): Markup {
  const waits = [...senders.values()].includes('pending')
  return markup`<section class="sheet"><h2>${waits ? 'Your sender ID waits for approval' : 'There is no sender ID yet'}</h2>
<p>A message needs an approved sender ID: the name or number that phones show it under.</p>
<p><a class="button" href="/sender-ids">${waits ? 'See your sender IDs' : 'Ask for a sender ID'}</a></p></section>`
}
