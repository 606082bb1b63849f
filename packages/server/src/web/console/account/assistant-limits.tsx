import { formatAmount, type Micros, parseAmount } from '@wigwag/contract'
import { type FormTicket, field } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'

/** How much assistants may spend and send in a day together; null for no limit. */
export interface AssistantLimits {
  spend: Micros | null
  messages: number | null
}

const MOST_MESSAGES = 1_000_000_000

/** The limits of all assistants of the account. */
export function limitsSheet(form: FormTicket, currency: string, limits: AssistantLimits): Markup {
  return (
    <section class="sheet">
      <h2>All assistants together</h2>
      <p>
        What the assistants of everybody may spend and send in a day, whatever the limits of each are. A day
        ends at midnight UTC.
      </p>
      <form method="post" action="/people/limits">
        {ticketField(form)}
        {limitFields('all', currency, limits)}
        <p>
          <button class="second">Save</button>
        </p>
      </form>
    </section>
  )
}

/** Two fields, with an id before theirs: a page has them several times. */
export function limitFields(id: string, currency: string, { spend, messages }: AssistantLimits): Markup {
  return (
    <>
      {field(
        { id: `${id}-spend`, label: `At most ${currency} a day`, hint: 'Empty for no limit.' },
        (ties) => (
          <input
            class="box short num"
            {...ties}
            name="spend"
            inputmode="decimal"
            value={spend === null ? '' : formatAmount(spend)}
          />
        ),
      )}
      {field(
        { id: `${id}-messages`, label: 'At most messages a day', hint: 'Empty for no limit.' },
        (ties) => (
          <input
            class="box short num"
            {...ties}
            name="messages"
            inputmode="numeric"
            value={messages === null ? '' : String(messages)}
          />
        ),
      )}
    </>
  )
}

/** Reads the fields of a form. */
export function limitsIn(form: URLSearchParams): AssistantLimits | { wrong: string } {
  const [spend, messages] = [(form.get('spend') ?? '').trim(), (form.get('messages') ?? '').trim()]
  const amount = spend === '' ? null : readAmount(spend)
  if (amount === undefined) return { wrong: `Expected an amount such as 5.00, got “${spend}”.` }
  if (messages !== '' && (!/^\d{1,10}$/.test(messages) || Number(messages) > MOST_MESSAGES))
    return { wrong: `Expected a whole number of messages, got “${messages}”.` }
  return { spend: amount, messages: messages === '' ? null : Number(messages) }
}

function readAmount(typed: string): Micros | undefined {
  try {
    return parseAmount(typed)
  } catch {
    return undefined
  }
}
