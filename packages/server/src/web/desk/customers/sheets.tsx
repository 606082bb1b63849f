import { clientName, LONGEST_ADDRESS, theirWords } from '../../../assistants/index.ts'
import type { Config } from '../../../config/config.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { SenderStatus } from '../../../kernel/principal.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { several } from '../../count.ts'
import { icon } from '../../icons.tsx'
import { listTime } from '../../times.tsx'
import { money } from '../../widgets/money.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import { hiddenFields, type Problems } from '../frame/form.tsx'
import type { Visit } from '../frame/visit.ts'
import type { Customer } from './one-customer.tsx'
import { pathOf } from './words.tsx'

export interface CustomerView {
  customer: Customer
  visit: Visit
  now: EpochMs
  rateLimit: Config['rateLimit']
  /** The change that was just made. */
  done?: Markup | undefined
  /** Errors of the threshold's form, and its fields as typed. */
  wrong?: Problems | undefined
  typed?: Problems | undefined
}

const SENDER_LOOKS = {
  approved: ['good', 'disc', 'Approved'],
  pending: ['wait', 'clock', 'Waits'],
  rejected: ['bad', 'octagon', 'Rejected'],
} as const

export function sendersSheet({ customer: { account, senders: rows }, visit, now }: CustomerView): Markup {
  if (rows.length === 0)
    return (
      <section class="sheet">
        <h2>Sender IDs</h2>
        <p>It has none, so it can’t send.</p>
      </section>
    )
  return (
    <section class="sheet flush">
      <table>
        <caption class="unseen">Sender IDs</caption>
        {tableHead('Sender ID', 'State', num('Since'))}
        <tbody>
          {rows.map(({ sender, status, reason, createdAt }) => {
            const [tone, drawing, word] = SENDER_LOOKS[status]
            return (
              <tr>
                <th scope="row" class="plain">
                  <bdi>{sender}</bdi>
                </th>
                <td>
                  <span class={`state ${tone}`}>
                    {icon(drawing)}
                    {word}
                  </span>
                  {reason !== null && (
                    <>
                      <br />
                      <span class="soft small">
                        <bdi>{reason}</bdi>
                      </span>
                    </>
                  )}
                  {visit.operator.role === 'act' && (
                    <>
                      <br />
                      {otherwise({ account: account.id, sender, seen: status }, visit)}
                    </>
                  )}
                </td>
                <td class="num">{listTime(createdAt, now)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** Leads to the other decision, or to where it is decided first. */
function otherwise(asked: { account: string; sender: string; seen: SenderStatus }, { form }: Visit): Markup {
  const which = <span class="unseen"> {asked.sender}</span>
  switch (asked.seen) {
    case 'pending':
      return <a href="/senders">Decide{which}</a>
    case 'approved':
      return <a href={`/senders/reject?${new URLSearchParams(asked).toString()}`}>Reject{which}</a>
    case 'rejected':
      return (
        <form method="post" action="/senders/approve" class="inline">
          {hiddenFields(form, asked)}
          <button class="link">Approve{which}</button>
        </form>
      )
  }
}

export function assistantsSheet({ customer, visit, now }: CustomerView): Markup {
  const { account, connections, programs, wallets } = customer
  const mayAct = visit.operator.role === 'act'
  if (connections.length + programs.length === 0)
    return (
      <section class="sheet">
        <h2>Assistants</h2>
        <p>No assistant is connected.</p>
      </section>
    )
  const active = connections.filter(({ endedAt }) => endedAt === undefined)
  const end = (connection: string, what: Markup, text: string) => (
    <details>
      <summary class="careful">{what}</summary>
      <form method="post" action={pathOf(account, '/connections/end')}>
        {hiddenFields(visit.form, { connection })}
        <p>{text} Messages that are scheduled already are still sent.</p>
        <p>
          <button class="danger tiny">End {connection === 'all' ? 'them all' : 'it'}</button>
        </p>
      </form>
    </details>
  )
  const currency = wallets[0]?.currency ?? ''
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Assistants">
      <table>
        <caption class="unseen">Assistants</caption>
        {tableHead('Assistant', 'Since', 'Last used', 'May send a day', 'Today', 'State')}
        <tbody>
          {connections.map(
            ({ id, clientName: name, redirectHost, createdAt, lastUsedAt, endedAt, limits, today }) => (
              <tr>
                <th scope="row" class="plain">
                  {clientName(name)}
                  <br />
                  <span class="soft small">
                    <bdi>{theirWords(redirectHost, LONGEST_ADDRESS)}</bdi>
                  </span>
                </th>
                <td>{listTime(createdAt, now)}</td>
                <td>{lastUsedAt === undefined ? 'never' : listTime(lastUsedAt, now)}</td>
                <td>
                  {limits
                    ? `${money(limits.dailySpend, currency)}, ${several(limits.dailyMessages, 'message')}`
                    : 'only reads'}
                </td>
                <td>
                  {limits ? `${money(today.spent, currency)}, ${several(today.messages, 'message')}` : '–'}
                </td>
                <td>
                  {endedAt === undefined ? (
                    mayAct ? (
                      end(
                        id,
                        <>
                          End<span class="unseen"> {clientName(name)}</span>
                        </>,
                        'It loses its access at once, by every gateway.',
                      )
                    ) : (
                      'active'
                    )
                  ) : (
                    <>ended {listTime(endedAt, now)}</>
                  )}
                </td>
              </tr>
            ),
          )}
          {programs.map(({ clientId, lastUsedAt }) => (
            <tr>
              <th scope="row" class="plain">
                A program with API credentials
                <br />
                <span class="soft small mono">{clientId}</span>
              </th>
              <td>–</td>
              <td>{listTime(lastUsedAt, now)}</td>
              <td>as the settings of /mcp say</td>
              <td>–</td>
              <td>ends with its client secret</td>
            </tr>
          ))}
        </tbody>
      </table>
      {mayAct && active.length > 1 && (
        <div class="pages">
          {end(
            'all',
            <>End all {String(active.length)}</>,
            'They lose their access at once, by every gateway.',
          )}
        </div>
      )}
    </section>
  )
}
