import { field } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf, several } from '../../count.ts'
import { money } from '../../widgets/money.tsx'
import { num } from '../../widgets/table.tsx'
import { ending } from '../frame/form.tsx'
import type { Page, Visit } from '../frame/visit.ts'
import { heldOf, type Plan, partInWords, type Run } from './decisions.ts'
import { carrierListForm, wholeCarrierForm } from './uncertain-forms.tsx'
import { PATH, type UncertainView, uncertainList } from './uncertain-list.tsx'
import { nothing, tableSheet } from './words.tsx'

/** The messages whose carrier never said whether it took them, and the ways to decide about them. */
export function uncertainPage(visit: Visit, view: UncertainView): Page {
  const { sums, run, wrong, messages } = view
  const mayAct = visit.operator.role === 'act'
  const isRunning = run && !run.result && !run.hasFailed
  return {
    title: 'Uncertain messages',
    place: 'messages',
    status: wrong ? 422 : 200,
    ...(isRunning && { headers: { refresh: '3' } }),
    body: (
      <>
        <div class="head">
          <h1>Uncertain messages</h1>
          <span class="end">
            <a href="/messages">All lists</a>
          </span>
        </div>
        {run && runNote(run)}
        {wrong && wrongNote(wrong)}
        <p>
          They were handed to a carrier that never said whether it took them. None is sent again, because it
          could arrive twice. A late answer ends one, or the only receipt to its number, or the end of its
          validity, or you do, once the carrier was asked.
        </p>
        {sums.length === 0 ? nothing('No message is uncertain.') : carriersSheet(view)}
        {messages.length > 0 && uncertainList(visit, view, mayAct)}
        {mayAct && sums.length > 0 && (
          <div class="grid">
            {wholeCarrierForm(visit, view)}
            {carrierListForm(visit, view)}
          </div>
        )}
      </>
    ),
  }
}

function runNote({ total, done, result, hasFailed }: Run): Markup {
  if (hasFailed)
    return (
      <div class="note bad" role="alert">
        <p>
          It was broken off after {countOf(done)} of {several(total, 'message')}. What was decided stays so;
          decide about the rest again.
        </p>
      </div>
    )
  if (!result)
    return (
      <div class="note" role="status">
        <p>
          {countOf(done)} of {several(total, 'message')} are decided. This goes on when the page is closed; it
          looks again every three seconds.
        </p>
      </div>
    )
  return (
    <div class="note good" role="status">
      <p>
        {several(result.settled, 'message was', 'messages were')} decided.
        {result.left > 0 && (
          <>
            {' '}
            {several(result.left, 'was', 'were')} not uncertain any more, and nothing was changed about{' '}
            {result.left === 1 ? 'it' : 'them'}.
          </>
        )}
      </p>
    </div>
  )
}

/** The lines of a file that are shown. */
const MOST_LINES = 20

function wrongNote({ text, mistakes }: NonNullable<UncertainView['wrong']>): Markup {
  const sorted = [...mistakes].sort((a, b) => a.line - b.line)
  const more = sorted.length - MOST_LINES
  return (
    <div class="note bad" role="alert">
      <p>{text}</p>
      {sorted.length > 0 && (
        <ul class="bullets">
          {sorted.slice(0, MOST_LINES).map(({ line, why }) => (
            <li>
              Line {line}: {why}
            </li>
          ))}
          {more > 0 && <li>And {several(more, 'line')} more.</li>}
        </ul>
      )}
    </div>
  )
}

function carriersSheet({ sums, carrier }: UncertainView): Markup {
  const rows = [...Map.groupBy(sums, (sum) => sum.carrier)].map(([name, of]) => {
    const held = [...heldOf(of)].map(([currency, amount]) => money(amount, currency)).join(' and ')
    const messages = of.reduce((total, sum) => total + sum.messages, 0)
    const isShown = name === carrier
    return (
      <tr>
        <th scope="row" class="plain">
          <a
            href={`${PATH}?${new URLSearchParams({ carrier: name }).toString()}`}
            aria-current={isShown ? 'true' : undefined}
          >
            <bdi>{name}</bdi>
          </a>
        </th>
        <td class="num">{countOf(messages)}</td>
        <td class="num">{held}</td>
      </tr>
    )
  })
  return tableSheet({
    label: 'Uncertain messages by carrier',
    head: ['Carrier', num('Messages'), num('Held for them')],
    rows,
    pages: carrier !== '' && <a href={PATH}>Those of all carriers</a>,
  })
}

const MOST_NAMES = 10

/** Says what would be decided, before it is. */
export function decidePage(
  { form }: Visit,
  plan: Plan,
  back: string,
  reason: { typed?: string; problem?: string | undefined } = {},
): Page {
  const { parts, carriers, others, unknown, carried, total } = plan
  const [only] = parts
  const names = unknown.slice(0, MOST_NAMES)
  const hidden = [[form.name, form.value] as const, ...carried].map(([name, value]) => (
    <input type="hidden" name={name} value={value} />
  ))
  return {
    title: 'Decide',
    place: 'messages',
    status: reason.problem === undefined ? 200 : 422,
    middle: true,
    body: (
      <>
        <div class="head">
          <h1>{total === 0 ? 'Nothing is to be decided' : `Decide about ${several(total, 'message')}?`}</h1>
        </div>
        <section class="sheet">
          {total > 0 && (
            <>
              <p class="strong">This can’t be undone.</p>
              <ul class="bullets">
                {parts.map((part) => (
                  <li>{partInWords(part)}.</li>
                ))}
              </ul>
              <p>
                Of {carriers.length === 1 ? 'the carrier' : 'the carriers'} <bdi>{carriers.join(', ')}</bdi>.
                The customers are told as if the carrier had said it.
              </p>
            </>
          )}
          {others > 0 && (
            <p>
              {several(others, 'is', 'are')} not uncertain any more, and {others === 1 ? 'is' : 'are'} left as{' '}
              {others === 1 ? 'it is' : 'they are'}.
            </p>
          )}
          {unknown.length > 0 && (
            <p>
              {several(unknown.length, 'row names', 'rows name')} no message under way:{' '}
              <bdi class="mono">{names.join(', ')}</bdi>
              {unknown.length > names.length && ` and ${countOf(unknown.length - names.length)} more`}.
            </p>
          )}
          {total === 0 ? (
            <p>
              <a class="button second" href={back}>
                Back
              </a>
            </p>
          ) : (
            <form method="post" action={`${PATH}/settle`}>
              {hidden}
              {field(
                {
                  id: 'reason',
                  label: 'Reason',
                  hint: 'For the audit log; may be empty',
                  error: reason.problem,
                },
                (ties) => (
                  <input
                    class="box"
                    {...ties}
                    name="reason"
                    value={reason.typed ?? ''}
                    maxlength={500}
                    autocomplete="off"
                  />
                ),
              )}
              {ending(
                <button class="danger">
                  {parts.length === 1 && only
                    ? `Decide: ${only.status === 'success' ? 'delivered' : 'failed'}`
                    : `Decide about ${several(total, 'message')}`}
                </button>,
                back,
              )}
            </form>
          )}
        </section>
      </>
    ),
  }
}
