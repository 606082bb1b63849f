import type { Micros } from '@wigwag/contract'
import { shown } from '../../../kernel/phone/national.ts'
import type { SenderStatus } from '../../../kernel/principal.ts'
import { countText, segmentsInWords, segmentsOf } from '../../../kernel/text/segments.ts'
import type { Estimate } from '../../../messages/sending/index.ts'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { codeBox, tabs } from '../../widgets/code.tsx'
import { money } from '../../widgets/money.tsx'
import { countryName, phone } from '../../widgets/phone.tsx'
import { curlSample, type SampleAccount, typescriptSample } from '../widgets/samples.ts'
import { formField, LABELS, type Posted, senderField, type Typed, textArea, timeFields } from './fields.tsx'
import { type Refusal, refusalNote } from './refusal.tsx'

interface SendView {
  form: FormTicket
  key: string
  typed: Typed & Partial<Posted>
  /** The account's, of numbers without a country code; empty for none. */
  country: string
  senders: ReadonlyMap<string, SenderStatus>
  price: PriceWords | undefined
  refusal: Refusal | undefined
  samples: Samples
}

/** How a number is to be written, in an account with a country or without. */
export function hintOf(country: string): string {
  return country === ''
    ? 'With the country code, such as 233241234567.'
    : `As in ${countryName(country)}, or with a plus sign and the country code, such as +233241234567.`
}

/** The form for one message, the phone that it arrives on, and the same in code. */
export function sendPage(view: SendView): Markup {
  const { typed, refusal, samples, country } = view
  return (
    <>
      <div class="head">
        <h1>Send</h1>
      </div>
      {howMany('one')}
      {refusal && refusalNote(refusal, LABELS)}
      {!refusal && typed.written !== undefined && (
        <div class="note warn" role="status">
          <p>
            <bdi>{typed.written}</bdi> is <span class="strong">{shown(typed.To)}</span>, read as a number of{' '}
            {countryName(country)}. Nothing was sent yet: press the button again if that is right.
          </p>
        </div>
      )}
      <div class="split compose">
        {composeForm(view)}
        <section class="sheet" aria-label="On the phone">
          {phone({
            sender: typed.From,
            time: 'now',
            content: typed.Content,
            encoding: segmentsOf(typed.Content).encoding,
          })}
        </section>
      </div>
      <section class="sheet">
        <h2>The same by program</h2>
        {tabs('program', 'The same by program', [
          { name: 'curl', body: codeBox('sample-curl', samples.curl) },
          { name: 'TypeScript', body: codeBox('sample-typescript', samples.typescript) },
        ])}
      </section>
    </>
  )
}

/** Leads from one message to many, and back. */
export function howMany(which: 'one' | 'many'): Markup {
  return (
    <ul class="chips" aria-label="How many">
      <li>
        <a href="/send" aria-current={which === 'one' ? 'page' : undefined}>
          One message
        </a>
      </li>
      <li>
        <a href="/send/many" aria-current={which === 'many' ? 'page' : undefined}>
          Many, from a list or CSV
        </a>
      </li>
    </ul>
  )
}

function composeForm({ form, key, typed, senders, price, refusal, country }: SendView): Markup {
  const wrong = refusal?.fields ?? {}
  return (
    <form class="sheet" method="post" action="/send" id="compose">
      {ticketField(form)}
      <input type="hidden" name="key" value={key} />
      <div class="two">
        {senderField({ senders, chosen: typed.From, error: wrong.From })}
        {formField(
          { id: 'To', label: LABELS.To, hint: price?.place ?? hintOf(country), error: wrong.To },
          (ties) => (
            <input class="box nums" {...ties} name="To" value={typed.To} inputmode="tel" autocomplete="off" />
          ),
        )}
      </div>
      {textField(typed.Content, wrong.Content)}
      <div class="two">
        {formField(
          { id: 'Reference', label: LABELS.Reference, optional: true, error: wrong.Reference },
          (ties) => (
            <input class="box mono" {...ties} name="Reference" value={typed.Reference} autocomplete="off" />
          ),
        )}
        {formField(
          { id: 'CallbackUrl', label: LABELS.CallbackUrl, optional: true, error: wrong.CallbackUrl },
          (ties) => (
            <input
              class="box mono"
              {...ties}
              name="CallbackUrl"
              value={typed.CallbackUrl}
              inputmode="url"
              autocomplete="off"
            />
          ),
        )}
      </div>
      {timeFields(typed, wrong.SendAt)}
      <p class="together">
        <button id="go">
          <span>
            Send<span id="cost">{price && ` for ${price.cost}`}</span>
          </span>
        </button>
        <button class="second" name="do" value="price">
          Check the price
        </button>
        <span class="soft nums" id="left">
          {price?.left}
        </span>
      </p>
    </form>
  )
}

/** The text, with what it takes. The script keeps the count up to date. */
export function textField(content: string, error: string | undefined, hint?: string): Markup {
  const { segments, characters, encoding, cause } = countText(content)
  return (
    <>
      {formField({ id: 'Content', label: LABELS.Content, hint, error, described: 'count cause' }, (ties) =>
        textArea({ class: 'box', ...ties, name: 'Content', rows: 5, dir: 'auto' }, content),
      )}
      <p class="hint nums text-count" id="count">
        <span class="strong" id="count-segments">
          {segments}
        </span>{' '}
        · <span id="count-characters">{characters}</span> · <span id="count-encoding">{encoding}</span>
      </p>
      <p class="note warn" id="cause" hidden={!cause}>
        <span class="strong" id="cause-what">
          {cause?.what}
        </span>{' '}
        <span id="cause-effect">{cause?.effect}</span>
      </p>
    </>
  )
}

/** Code that sends the form's message. */
interface Samples {
  curl: string
  typescript: string
}

export function samplesOf(account: SampleAccount, { From, To, Content }: Typed, key: string): Samples {
  const message = {
    from: From,
    to: To === '' ? '233241234567' : To,
    text: Content === '' ? 'Hello' : Content,
  }
  return { curl: curlSample(account, { ...message, key }), typescript: typescriptSample(account, message) }
}

/** The price of a message as the page and its script show it. */
export interface PriceWords {
  /** Also on the button. */
  cost: string
  /** The balance afterwards, or the missing amount. */
  left: string
  /** Where the number is, and what a segment costs there. */
  place: string
  segments: string
}

export function priceWords(
  { price, unitPrice, currency, ...estimate }: Estimate,
  available: Micros,
): PriceWords {
  const left = available - price
  const where = [estimate.network, countryName(estimate.country)].filter((part) => part !== undefined)
  return {
    cost: money(price, currency),
    left: left < 0 ? `${money(-left, currency)} is missing` : `Leaves ${money(left, currency)}`,
    place: `${where.join(', ')}, ${money(unitPrice, currency)} a segment`,
    segments: segmentsInWords(estimate.segments),
  }
}
