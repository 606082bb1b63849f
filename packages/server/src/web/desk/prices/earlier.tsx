import type { EarlierList } from '../../../money/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf } from '../../count.ts'
import { dayAndTime } from '../../times.tsx'
import { num, tableHead, unseen } from '../../widgets/table.tsx'
import { type Page, refusal } from '../frame/visit.ts'

/** The price lists that were in force before. */
export function earlierPage(lists: readonly EarlierList[], mayAct: boolean): Page {
  return {
    title: 'Earlier price lists',
    place: 'prices',
    body: (
      <>
        <div class="head">
          <h1>Earlier price lists</h1>
          <span class="end">
            <a href="/prices">The prices in force</a>
          </span>
        </div>
        {lists.length === 0 ? (
          <section class="sheet">
            <p>No price list was replaced yet.</p>
          </section>
        ) : (
          table(lists, mayAct)
        )}
      </>
    ),
  }
}

function table(lists: readonly EarlierList[], mayAct: boolean): Markup {
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Earlier price lists">
      <table>
        <caption class="unseen">Earlier price lists, newest first</caption>
        {tableHead(
          'List',
          // Beside the number, so that it is seen on a phone.
          ...(mayAct ? [unseen('Take back')] : []),
          num('Prices'),
          'In force since',
          'Until',
          'Replaced by',
        )}
        <tbody>
          {lists.map(({ number, prices, since, replacedAt, replacedBy, sample }) => (
            <tr>
              <th scope="row" class="plain">
                {number}
                {sample && <span class="soft"> the sample</span>}
              </th>
              {mayAct && (
                <td>
                  <a href={`/prices/earlier/${number}`}>Take back</a>
                </td>
              )}
              <td class="num">{countOf(prices)}</td>
              <td class="num left">{since === undefined ? 'not known' : dayAndTime(since)}</td>
              <td class="num left">{dayAndTime(replacedAt)}</td>
              <td class="plain">
                <bdi>{replacedBy}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="pages">
        <span>The last 50 are kept.</span>
      </div>
    </section>
  )
}

export function noSuchList(): Page {
  return refusal(404, {
    title: 'There is no such price list',
    text: 'The last 50 lists are kept.',
    link: { href: '/prices/earlier', text: 'See the earlier lists' },
  })
}
