import { formatAmount } from '@wigwag/contract'
import type { AccountRow } from '../../../accounts/index.ts'
import { available } from '../../../kernel/money/ledger.ts'
import { enteredAmountAboveZero } from '../../../kernel/text/entered.ts'
import { field } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { countOf, several } from '../../count.ts'
import { dayAndTime, listTime } from '../../times.tsx'
import { money } from '../../widgets/money.tsx'
import { hiddenFields, readFields, typedIn } from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { ACT, LOOK, type Page, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { deliveriesSheet } from './deliveries.tsx'
import { keysSheet } from './keys.tsx'
import { onCustomer, readCustomer } from './one-customer.tsx'
import { refusalsSheet } from './refusals.tsx'
import { assistantsSheet, type CustomerView, sendersSheet } from './sheets.tsx'
import { entriesTable } from './statement.tsx'
import { pathOf, stateOf } from './words.tsx'

/** The page of a customer, with the threshold of its wallet. */
export function mountCustomer(pages: Pages, parts: DeskParts): void {
  pages.show(
    '/customers/:id',
    LOOK,
    onCustomer(parts, (account, visit) => showCustomer(parts, account, visit)),
  )
  pages.change(
    '/customers/:id/warn',
    ACT,
    onCustomer(parts, async (account, visit, form: URLSearchParams) => {
      const below = (text: string) => (text.trim() === '' ? undefined : enteredAmountAboveZero(text.trim()))
      const read = readFields(form, { below })
      if ('problems' in read)
        return showCustomer(parts, account, visit, { wrong: read.problems, typed: typedIn(form, ['below']) })
      await parts.workOf(visit.acting).operator.warn(account.id, read.values.below)
      return goTo(pathOf(account, '?done=warn'))
    }),
  )
}

/** The page, after a change too. */
export async function showCustomer(
  parts: DeskParts,
  account: AccountRow,
  visit: Visit,
  more: Pick<CustomerView, 'done' | 'wrong' | 'typed'> = {},
): Promise<Page> {
  const customer = await readCustomer(parts, account, visit)
  const done = more.done ?? DONE[visit.c.req.query('done') ?? '']
  return customerPage({
    customer,
    visit,
    now: parts.clock.now(),
    rateLimit: parts.config.rateLimit,
    ...more,
    done: more.wrong ? undefined : done,
  })
}

const DONE: Readonly<Record<string, Markup | undefined>> = {
  edited: <>Its name and address are saved.</>,
  warn: <>The threshold is saved.</>,
  suspended: <>It is suspended: every request of it is refused.</>,
  active: <>It is active.</>,
  key: <>The old key stops working within a second.</>,
  connection: <>Its assistants have lost that access.</>,
}

function customerPage(view: CustomerView): Page {
  const { customer, now, done, wrong } = view
  const { account } = customer
  return {
    title: account.name,
    place: 'customers',
    status: wrong ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>
            <bdi>{account.name}</bdi>
          </h1>
          {stateOf(account, now)}
          <span class="end">{actions(view)}</span>
        </div>
        {done && (
          <div class="note good" role="status">
            <p>{done}</p>
          </div>
        )}
        {figures(view)}
        <div class="grid">
          {about(view)}
          {threshold(view)}
        </div>
        {statement(view)}
        {deliveriesSheet(view)}
        {refusalsSheet(view)}
        <div class="grid">
          {keysSheet(view)}
          {sendersSheet(view)}
        </div>
        {assistantsSheet(view)}
      </>
    ),
  }
}

/** Links and forms for the customer. Operators who only look get links alone. */
function actions({ customer: { account }, visit: { operator, form } }: CustomerView): Markup {
  const look = (
    <>
      <a class="button second" href={`/messages?account=${account.id}`}>
        Its messages
      </a>
      <a class="button second" href={pathOf(account, '/console')}>
        Its console
      </a>
    </>
  )
  if (operator.role !== 'act') return look
  return (
    <>
      <a class="button" href={pathOf(account, '/money')}>
        Add or take back money
      </a>
      {look}
      <a class="button second" href={pathOf(account, '/edit')}>
        Name and address
      </a>
      <a class="button second" href={pathOf(account, '/standing')}>
        {account.status === 'active' ? 'Suspend' : 'Restore'}
      </a>
      <form method="post" action={pathOf(account, '/export')} class="inline">
        {hiddenFields(form, {})}
        <button class="second">Export</button>
      </form>
      <a class="button second" href={pathOf(account, '/erase')}>
        Erase
      </a>
    </>
  )
}

function figures({ customer: { wallets } }: CustomerView): Markup {
  return (
    <>
      {wallets.map((wallet) => {
        const { currency, held, posted, open, sentToday, warnBelow } = wallet
        const balance = available(wallet)
        const isLow = warnBelow !== undefined && balance < warnBelow
        const under = open.more
          ? 'for more than a thousand messages'
          : `for ${several(open.pending + open.scheduled, 'message')}`
        return (
          <dl class="sheet figures">
            <div>
              <dt>Balance</dt>
              <dd>
                {money(balance, currency)}
                {warnBelow !== undefined && (
                  <small class={isLow ? 'bad' : undefined}>
                    {isLow && 'It is low: '}warns below {money(warnBelow, currency)}
                  </small>
                )}
              </dd>
            </div>
            <div>
              <dt>Held</dt>
              <dd>
                {money(held, currency)}
                <small>{under}</small>
              </dd>
            </div>
            <div>
              <dt>Posted balance</dt>
              <dd>
                {money(posted, currency)}
                <small>balance + held</small>
              </dd>
            </div>
            <div>
              <dt>Sent today</dt>
              <dd>{countOf(sentToday)}</dd>
            </div>
          </dl>
        )
      })}
    </>
  )
}

function about({ customer, now, rateLimit }: CustomerView): Markup {
  const { account, clientIds, people, seenAt } = customer
  const row = (name: Markup | string, value: Markup | Markup[] | string) => (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
  return (
    <section class="sheet">
      <h2>Who it is</h2>
      <dl class="facts">
        {row('E-mail of the account', <bdi>{account.email}</bdi>)}
        {row('Account ID', <span class="mono">{account.id}</span>)}
        {clientIds.map((id) => row('Client ID', <span class="mono">{id}</span>))}
        {row('Since', dayAndTime(account.createdAt))}
        {row('Last seen', seenAt === undefined ? 'Its programs never called' : listTime(seenAt, now))}
        {row(
          <a href={pathOf(account, '/people')}>People</a>,
          people.map(({ email, role, canSignIn }) => (
            <>
              <bdi>{email}</bdi>{' '}
              <span class="soft">
                {role}
                {!canSignIn && ', can’t sign in yet'}
              </span>
              <br />
            </>
          )),
        )}
        {row(
          'Requests',
          rateLimit
            ? `${countOf(rateLimit.perSecond)} a second for each client, ${countOf(rateLimit.burst)} at once`
            : 'No limit',
        )}
      </dl>
    </section>
  )
}

function threshold({ customer, visit, wrong, typed }: CustomerView): Markup | undefined {
  const { account, wallets } = customer
  const [wallet] = wallets
  if (!wallet || visit.operator.role !== 'act') return undefined
  const { warnBelow, currency } = wallet
  const value = typed?.below ?? (warnBelow === undefined ? '' : formatAmount(warnBelow))
  return (
    <section class="sheet">
      <h2>When the wallet is low</h2>
      <p>
        Metrics, the overview, the customer’s console and your webhook say so when less than this can be
        spent. {warnBelow === undefined ? 'It is not watched.' : `Now: ${money(warnBelow, currency)}.`}
      </p>
      <form method="post" action={pathOf(account, '/warn')}>
        {hiddenFields(visit.form, {})}
        {field(
          {
            id: 'below',
            label: `Warn below, ${currency}`,
            hint: 'Such as 50; empty for never',
            error: wrong?.below,
          },
          (ties) => (
            <input class="box" {...ties} name="below" value={value} inputmode="decimal" autocomplete="off" />
          ),
        )}
        <p>
          <button class="second">Save</button>
        </p>
      </form>
    </section>
  )
}

function statement({ customer: { account, wallets, lines }, now }: CustomerView): Markup {
  const [wallet] = wallets
  if (!wallet || lines.length === 0)
    return (
      <section class="sheet">
        <h2>Statement</h2>
        <p>No money was added yet.</p>
      </section>
    )
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Newest entries">
      {entriesTable(lines, wallet, now)}
      <div class="pages">
        <a class="end" href={pathOf(account, '/statement')}>
          The whole statement
        </a>
      </div>
    </section>
  )
}
