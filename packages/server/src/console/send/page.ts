import { segmentsOf } from '../../domain/text/segments.ts'
import { countText } from '../../domain/text/text-count.ts'
import { phone } from '../../pages/widgets/phone.ts'
import type { SenderStatus } from '../../platform/http/principal.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { codeBox, tabs } from '../widgets/code.ts'
import { formField, textArea } from './field.ts'
import { LABELS, type Typed } from './fields.ts'
import type { PriceWords } from './price.ts'
import { type Refusal, refusalNote } from './refusal.ts'
import type { Samples } from './samples.ts'
import { senderField } from './senders.ts'

export interface SendView {
  form: FormTicket
  key: string
  typed: Typed
  senders: ReadonlyMap<string, SenderStatus>
  price: PriceWords | undefined
  refusal: Refusal | undefined
  samples: Samples
}

export const NUMBER_HINT = 'With the country code, such as 233241234567.'

/** The form for one message, the phone that it arrives on, and the same in code. */
export function sendPage(view: SendView): Markup {
  const { typed, refusal, samples } = view
  return markup`<div class="head"><h1>Send</h1></div>
${howMany('one')}
${refusal && refusalNote(refusal, LABELS)}
<div class="split compose">${composeForm(view)}
<section class="sheet" aria-label="On the phone">${phone({ sender: typed.From, time: 'now', content: typed.Content, encoding: segmentsOf(typed.Content).encoding })}</section></div>
<section class="sheet"><h2>The same by program</h2>${tabs('program', 'The same by program', [
    { name: 'curl', body: codeBox('sample-curl', samples.curl) },
    { name: 'TypeScript', body: codeBox('sample-typescript', samples.typescript) },
  ])}</section>`
}

/** Leads from one message to many, and back. */
export function howMany(which: 'one' | 'many'): Markup {
  const here = (is: boolean) => is && markup` aria-current="page"`
  return markup`<ul class="chips" aria-label="How many"><li><a href="/send"${here(which === 'one')}>One message</a></li><li><a href="/send/many"${here(which === 'many')}>Many, from a list or CSV</a></li></ul>`
}

function composeForm({ form, key, typed, senders, price, refusal }: SendView): Markup {
  const wrong = refusal?.fields ?? {}
  return markup`<form class="sheet" method="post" action="/send" id="compose">${ticketField(form)}<input type="hidden" name="key" value="${key}">
<div class="two">${senderField({ senders, chosen: typed.From, error: wrong.From })}
${formField(
  { id: 'To', label: LABELS.To, hint: price?.place ?? NUMBER_HINT, error: wrong.To },
  (ties) =>
    markup`<input class="box nums" ${ties} name="To" value="${typed.To}" inputmode="tel" autocomplete="off">`,
)}</div>
${textField(typed.Content, wrong.Content)}
<div class="two">${formField(
    { id: 'Reference', label: LABELS.Reference, optional: true, error: wrong.Reference },
    (ties) =>
      markup`<input class="box mono" ${ties} name="Reference" value="${typed.Reference}" autocomplete="off">`,
  )}
${formField(
  { id: 'CallbackUrl', label: LABELS.CallbackUrl, optional: true, error: wrong.CallbackUrl },
  (ties) =>
    markup`<input class="box mono" ${ties} name="CallbackUrl" value="${typed.CallbackUrl}" inputmode="url" autocomplete="off">`,
)}</div>
${formField(
  {
    id: 'SendAt',
    label: 'Send at, UTC',
    optional: true,
    hint: 'Left empty, it goes at once. At most 90 days ahead.',
    error: wrong.SendAt,
  },
  (ties) =>
    markup`<input class="box short" ${ties} name="SendAt" type="datetime-local" value="${typed.SendAt}">`,
)}
<p class="together"><button id="go"><span>Send<span id="cost">${price && ` for ${price.cost}`}</span></span></button><button class="second" name="do" value="price">Check the price</button><span class="soft nums" id="left">${price?.left}</span></p>
</form>`
}

/** The text, with what it takes. The script keeps the count up to date. */
export function textField(content: string, error: string | undefined, hint?: string): Markup {
  const { segments, characters, encoding, cause } = countText(content)
  return markup`${formField(
    { id: 'Content', label: LABELS.Content, hint, error, described: 'count cause' },
    (ties) => textArea(markup`class="box" ${ties} name="Content" rows="5" dir="auto"`, content),
  )}
<p class="hint nums text-count" id="count"><span class="strong" id="count-segments">${segments}</span> · <span id="count-characters">${characters}</span> · <span id="count-encoding">${encoding}</span></p>
<p class="note warn" id="cause"${!cause && markup` hidden`}><span class="strong" id="cause-what">${cause?.what}</span> <span id="cause-effect">${cause?.effect}</span></p>`
}
