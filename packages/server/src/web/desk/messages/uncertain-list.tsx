import { span } from '@wigwag/contract'
import type { AccountRow } from '../../../accounts/index.ts'
import type { EarlyReceipt, UncertainMessage, UncertainSum } from '../../../delivery/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { Mistake } from '../../../kernel/process/csv-reader.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { listTime } from '../../times.tsx'
import { money } from '../../widgets/money.tsx'
import { phoneNumber } from '../../widgets/phone.tsx'
import { num } from '../../widgets/table.tsx'
import { hiddenFields } from '../frame/form.tsx'
import type { Visit } from '../frame/visit.ts'
import type { Run } from './decisions.ts'
import { customer, pathOf, ROWS, tableSheet } from './words.tsx'

/** The facts that the page of uncertain messages shows. */
export interface UncertainView {
  /** One more than the page shows, if there are more. */
  messages: readonly UncertainMessage[]
  /** By ticket: receipts to the message's number that name no message, and may be its. */
  receipts: ReadonlyMap<string, readonly EarlyReceipt[]>
  sums: readonly UncertainSum[]
  accounts: ReadonlyMap<string, AccountRow>
  /** The chosen carrier; empty for all of them. */
  carrier: string
  /** Whether this is the first page of the list. */
  isFirst: boolean
  now: EpochMs
  /** The decision that the address names, and how far it is. */
  run?: Run | undefined
  wrong?: { text: string; mistakes: readonly Mistake[] } | undefined
}

export const PATH = '/messages/uncertain'

/** A page of the uncertain messages, with marks to decide about several for an operator who may act. */
export function uncertainList(visit: Visit, view: UncertainView, mayAct: boolean): Markup {
  const { messages, receipts, accounts, carrier, isFirst, now } = view
  const shown = messages.slice(0, ROWS)
  const addressOf = (more: Record<string, string>) =>
    `${PATH}?${new URLSearchParams({ ...(carrier !== '' && { carrier }), ...more })}`
  const hasReceipts = receipts.size > 0
  const rows = shown.map(
    ({ ticket, carrier: name, accountId, recipient, price, currency, handedAt, expiresAt }) => (
      <tr>
        {mayAct && (
          <td>
            <label class="choice">
              <input type="checkbox" name="ticket" value={ticket} />
              <span class="unseen">Decide about the message to {recipient}</span>
            </label>
          </td>
        )}
        <th scope="row" class="plain">
          <a href={pathOf(ticket)}>{phoneNumber(recipient)}</a>
        </th>
        <td class="num">{span(now - handedAt)}</td>
        <td class="num">{listTime(expiresAt, now)}</td>
        <td class="num">{money(price, currency)}</td>
        {hasReceipts && <td>{receiptsCell(ticket, receipts.get(ticket) ?? [], { mayAct, now })}</td>}
        <td>
          <bdi>{name}</bdi>
        </td>
        <td>{customer(accountId, accounts)}</td>
      </tr>
    ),
  )
  const pages = (!isFirst || messages.length > ROWS) && (
    <>
      {!isFirst && <a href={addressOf({})}>The oldest</a>}
      {messages.length > ROWS && (
        <a class="end" href={addressOf({ after: shown.at(-1)?.ticket ?? '' })}>
          Younger ones
        </a>
      )}
    </>
  )
  const head = [
    'To',
    num('Uncertain for'),
    num('Expires'),
    num('Held'),
    ...(hasReceipts ? ['Receipts that may be its'] : []),
    'Carrier',
    'Customer',
  ]
  const table = tableSheet({
    label: 'Uncertain messages, oldest first',
    head: mayAct ? ['Decide', ...head] : head,
    rows,
    pages,
  })
  if (!mayAct) return table
  return (
    <form method="post" action={`${PATH}/check`}>
      {hiddenFields(visit.form, {})}
      {table}
      <div class="sheet">
        <p class="together">
          <span>The marked messages were</span>
          <button class="second" name="as" value="success">
            Delivered
          </button>
          <button class="second" name="as" value="failed">
            Not delivered
          </button>
          <span class="soft">
            Nothing is decided yet. The next page says what it would charge or release.
          </span>
        </p>
      </div>
    </form>
  )
}

const VERDICTS: Readonly<Record<EarlyReceipt['verdict'], string>> = {
  success: 'delivered',
  undelivered: 'not delivered',
  expired: 'expired',
  rejected: 'rejected',
  failed: 'failed',
}

/** Receipts to a message's number that name no message, each with a button that takes it as the message's. */
function receiptsCell(
  ticket: string,
  receipts: readonly EarlyReceipt[],
  { mayAct, now }: { mayAct: boolean; now: EpochMs },
): Markup {
  return (
    <>
      {receipts.map(({ ref, verdict, at }) => {
        const words = (
          <>
            <bdi class="mono">{ref}</bdi> {VERDICTS[verdict]}, {listTime(at, now)}
          </>
        )
        return mayAct ? (
          <>
            <button class="second tiny" name="receipt" value={`${ticket} ${ref}`}>
              {words}
            </button>{' '}
          </>
        ) : (
          <>
            <span>{words}</span>{' '}
          </>
        )
      })}
    </>
  )
}
