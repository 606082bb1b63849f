import { type AuditRow, readAudit } from '../../audit/index.ts'
import { csvReply } from '../../pages/csv.ts'
import { listTime } from '../../pages/times.ts'
import { withNames } from '../../people/index.ts'
import type { Page as Rows } from '../../platform/http/paging.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { actionWords } from './action-words.ts'

const SHOWN = 200
/** More rows than anybody reads, and few enough to be made at once. */
const MOST_IN_FILE = 10_000

/** What an entry says to the people of its account. */
interface Line extends Pick<AuditRow, 'at' | 'action' | 'detail'> {
  who: string
}

/** Who did what in the account. */
export function mountLog(pages: Pages, { database, clock }: ConsoleParts): void {
  const read = ({ person: { accountId } }: Visit, limit: number): Promise<Line[]> =>
    database.read(async (tx) => {
      const filter = { accountId, since: undefined, action: undefined }
      const rows = await withNames(tx, await readAudit(tx, filter, limit))
      return rows.map(({ at, action, actor, detail: { reason: _, ...detail } }) => ({
        ...{ at, action, who: whoOf(actor), detail },
      }))
    })

  pages.show('/log', 'read', async (visit): Promise<Page> => {
    const lines = await read(visit, SHOWN)
    const now = clock.now()
    return {
      title: 'Who did what',
      place: 'log',
      body: markup`<div class="head"><h1>Who did what</h1><span class="end"><a class="button second" href="/log.csv">Download CSV</a></span></div>
<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Entries"><table><caption class="unseen">Who did what in this account, newest first</caption><thead><tr><th scope="col">Time, UTC</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">More</th></tr></thead><tbody>${lines.map(
        ({ at, who, action, detail }) =>
          markup`<tr><td class="num">${listTime(at, now)}</td><td><bdi>${who}</bdi></td><td>${actionWords(action)}</td><td class="details">${pairs(detail)}</td></tr>`,
      )}</tbody></table></section>
${lines.length === SHOWN && markup`<p class="soft">These are the newest ${SHOWN}. The file has more.</p>`}`,
    }
  })

  pages.file('/log.csv', 'read', async (visit) =>
    csvReply({
      name: 'who-did-what.csv',
      head: ['Time', 'Who', 'Action', 'Detail'],
      read: async (): Promise<Rows<Line>> => ({ items: await read(visit, MOST_IN_FILE), next: undefined }),
      line: ({ at, who, action, detail }) => [
        ...[new Date(at).toISOString(), who, action, JSON.stringify(detail)],
      ],
    }),
  )
}

/** Who did it, as people read it. Which operator, and why, is between operators. */
function whoOf(actor: string): string {
  const [kind, id = ''] = actor.split(':')
  if (kind === 'person') return id.includes('@') ? id : 'somebody who was forgotten'
  if (kind === 'operator' || kind === 'gateway') return 'the operator'
  if (kind === 'connection') return `an assistant (${id})`
  if (kind === 'client') return `a program (${id})`
  return kind === 'portal' ? 'nobody who was in' : actor
}

function pairs(detail: Line['detail']): Markup[] {
  return Object.entries(detail).map(
    ([name, value]): Markup =>
      markup`<span class="pair"><span class="soft">${name}</span> <bdi>${typeof value === 'string' ? value : JSON.stringify(value)}</bdi></span> `,
  )
}
