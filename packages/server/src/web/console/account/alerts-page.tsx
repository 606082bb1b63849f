import { formatAmount, span } from '@wigwag/contract'
import type { EpochMs } from '../../../kernel/ids.ts'
import { money } from '../../../kernel/money/shown.ts'
import { utcDay } from '../../../kernel/time/spans.ts'
import { type FormTicket, field } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { type AccountAlert, ALERT_KINDS, type AlertsView } from '../../../operate/alerts/index.ts'
import type { AlertKind } from '../../../store/schema/schema.ts'
import { dayAndTime } from '../../times.tsx'

/** The kinds that a form chose, with what was typed for their amounts. */
export type TypedChoices = Map<AlertKind, string>

export interface AlertsPageView extends AlertsView {
  form: FormTicket
  now: EpochMs
  currency: string
  /** The address of who looks. */
  email: string
  /** Whether this gateway sends mails. */
  canMail: boolean
  /** Whether who looks may choose for the account. */
  mayChoose: boolean
  done: string | undefined
  /** A refused form, to show it again, and what is wrong with each amount. */
  typed?: TypedChoices | undefined
  wrong?: ReadonlyMap<AlertKind, string> | undefined
  wrongCode?: string | undefined
}

const DONE: Readonly<Record<string, string>> = {
  chosen: 'The account is told of these from now on.',
  known: 'That address is known, and its alert is over.',
  on: 'Alerts come to you by mail from now on.',
  off: 'No more alerts come to you by mail.',
  asked: 'A mail with a code is on its way to you.',
}

/** The alerts of an account, the kinds that it chose, and mails to who looks. */
export function alertsPage(view: AlertsPageView): Markup {
  const { done, wrong, wrongCode } = view
  const said = done === undefined ? undefined : DONE[done]
  const refused = wrongCode ?? (wrong && 'Nothing was changed: an amount is missing, or is none.')
  return (
    <>
      <div class="head">
        <h1>Alerts</h1>
        <span class="soft">Each is told once, and when it is over. Times are UTC.</span>
      </div>
      {said !== undefined && (
        <div class="note good" role="status">
          <p>{said}</p>
        </div>
      )}
      {refused !== undefined && (
        <div class="note bad" role="alert">
          <p>{refused}</p>
        </div>
      )}
      {lists(view)}
      {view.mayChoose ? choiceForm(view) : chosen(view)}
      {mailSheet(view)}
    </>
  )
}

function lists(view: AlertsPageView): Markup {
  const { there, before } = view
  return (
    <>
      <section class="sheet" aria-labelledby="there">
        <h2 id="there">Now</h2>
        {there.length === 0 ? (
          <p>Nothing.</p>
        ) : (
          <ul class="things">{there.map((one) => thing(one, view))}</ul>
        )}
      </section>
      {before.length > 0 && (
        <section class="sheet" aria-labelledby="before">
          <h2 id="before">Over, in the last 30 days</h2>
          <ul class="things">{before.map((one) => thing(one, view))}</ul>
        </section>
      )}
    </>
  )
}

/** An address has no end to see: somebody says that it is known. */
function isAddress({ key }: AccountAlert): boolean {
  return key.startsWith('address:')
}

function thing(alert: AccountAlert, { now, form, mayChoose }: AlertsPageView): Markup {
  const { id, text, seenAt, overAt } = alert
  const isThere = overAt === null || overAt > now
  return (
    <li>
      <div>
        <bdi class="strong">{text}</bdi>
        <br />
        <span class="soft small">
          {isAddress(alert) ? 'On' : isThere ? 'Since' : 'From'} {dayAndTime(seenAt)}
          {!isAddress(alert) && ` · for ${span((overAt ?? now) - seenAt)}`}
        </span>
      </div>
      {isThere && isAddress(alert) && mayChoose && (
        <form method="post" action="/alerts/known" class="end">
          {ticketField(form)}
          <input type="hidden" name="alert" value={id} />
          <button class="second tiny">
            We know it<span class="unseen">: {text}</span>
          </button>
        </form>
      )}
    </li>
  )
}

const WORDS: Readonly<Record<AlertKind, string>> = {
  wallet: 'The wallet has less than',
  spend: 'More was spent today (UTC) than',
  receiver: 'Receivers don’t take callbacks',
  address: 'A key is used from a new address',
}

const HINTS: Partial<Readonly<Record<AlertKind, string>>> = {
  receiver: 'A callback failed three times, and the receiver took no other since.',
  address: 'The key was not used from there in the last 30 days. The first address of a new key is none.',
}

function hintOf(kind: AlertKind, { operatorBelow, currency }: AlertsPageView): string | undefined {
  if (kind === 'wallet' && operatorBelow !== undefined)
    return `The operator is warned below ${money(operatorBelow, currency)}.`
  return HINTS[kind]
}

function choiceForm(view: AlertsPageView): Markup {
  return (
    <section class="sheet" aria-labelledby="told">
      <h2 id="told">What to tell of</h2>
      <form method="post" action="/alerts" class="alerts">
        {ticketField(view.form)}
        {ALERT_KINDS.map((kind) => choice(kind, view))}
        <p>
          <button>Save</button> <span class="soft small">For everybody of the account.</span>
        </p>
      </form>
    </section>
  )
}

function choice(kind: AlertKind, view: AlertsPageView): Markup {
  const { typed, wrong, currency } = view
  const hint = hintOf(kind, view)
  const error = wrong?.get(kind)
  return (
    <>
      <div class="on-off">
        <label>
          <input type="checkbox" name={kind} checked={isChosen(kind, view)} />
          <span>
            {WORDS[kind]}
            {hint !== undefined && (
              <>
                <br />
                <span class="soft small">{hint}</span>
              </>
            )}
          </span>
        </label>
        {kind !== 'receiver' && kind !== 'address' && (
          <span class="amount">
            <span class="soft">{currency}</span>{' '}
            <input
              class="box num"
              name={`${kind}-amount`}
              inputmode="decimal"
              aria-label={`${WORDS[kind]}, in ${currency}`}
              aria-invalid={error === undefined ? undefined : 'true'}
              maxlength={20}
              value={typed?.get(kind) ?? amountOf(kind, view)}
            />
          </span>
        )}
      </div>
      {error !== undefined && <p class="wrong">{error}</p>}
    </>
  )
}

function isChosen(kind: AlertKind, { typed, choices }: AlertsPageView): boolean {
  return typed ? typed.has(kind) : choices.has(kind)
}

/** Until somebody chooses, the operator's amount for a wallet that is low is proposed. */
function amountOf(kind: AlertKind, { choices, operatorBelow }: AlertsPageView): string {
  const amount = choices.get(kind) ?? (kind === 'wallet' ? operatorBelow : undefined)
  return amount === undefined || amount === null ? '' : formatAmount(amount)
}

/** For those who may not choose. */
function chosen({ choices, currency }: AlertsPageView): Markup {
  const words = ALERT_KINDS.flatMap((kind) => {
    const amount = choices.get(kind)
    if (amount === undefined) return []
    return [amount === null ? WORDS[kind] : `${WORDS[kind]} ${money(amount, currency)}`]
  })
  return (
    <section class="sheet" aria-labelledby="told">
      <h2 id="told">What the account is told of</h2>
      {words.length === 0 ? (
        <p>Nothing yet. An owner or a developer of the account chooses.</p>
      ) : (
        <ul>
          {words.map((one) => (
            <li>{one}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

function mailSheet(view: AlertsPageView): Markup | undefined {
  const { canMail, mailing } = view
  if (canMail && !mailing) return undefined
  return (
    <section class="sheet" aria-labelledby="mail">
      <h2 id="mail">By mail</h2>
      {canMail ? (
        mailForms(view)
      ) : (
        <p>This gateway sends no mail. Alerts are on this page, with their number in the menu.</p>
      )}
    </section>
  )
}

function mailForms(view: AlertsPageView): Markup {
  const { mailing, email, form } = view
  const address = <bdi class="strong">{email}</bdi>
  const isProven = mailing !== undefined && mailing.provenAt > 0
  if (isProven && mailing.byMail)
    return (
      <>
        <p>Alerts come to {address}.</p>
        {mailButton(form, 'off', 'Mail me no more')}
      </>
    )
  if (isProven)
    return (
      <>
        <p>No alerts come to {address}.</p>
        {mailButton(form, 'on', 'Mail me')}
      </>
    )
  return isAsked(view) ? (
    codeForm(view)
  ) : (
    <>
      <p>Have alerts sent to {address}. A mail with a code comes first, to see that the address is yours.</p>
      {mailButton(form, 'on', 'Mail me')}
    </>
  )
}

/** Whether the code of a mail may still be typed. */
function isAsked({ mailing, now }: AlertsPageView): boolean {
  return mailing !== undefined && mailing.askedAt > 0 && utcDay(mailing.askedAt) >= utcDay(now) - 1
}

function codeForm({ email, form, wrongCode }: AlertsPageView): Markup {
  return (
    <>
      <form method="post" action="/alerts/code">
        {ticketField(form)}
        {field({ id: 'code', label: 'Code', hint: `In the mail to ${email}.`, error: wrongCode }, (ties) => (
          <input
            class="box short"
            {...ties}
            name="code"
            autocomplete="one-time-code"
            autocapitalize="characters"
            spellcheck={false}
            maxlength={40}
            required
          />
        ))}
        <p>
          <button>Check it</button>
        </p>
      </form>
      {mailButton(form, 'on', 'Send another', 'At most one an hour.')}
    </>
  )
}

function mailButton(form: FormTicket, mail: 'on' | 'off', words: string, hint?: string): Markup {
  return (
    <form method="post" action="/alerts/mail">
      {ticketField(form)}
      <input type="hidden" name="mail" value={mail} />
      <p>
        <button class="second">{words}</button> {hint !== undefined && <span class="soft small">{hint}</span>}
      </p>
    </form>
  )
}
