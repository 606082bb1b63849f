import { csvReply } from '../../pages/csv.ts'
import { listTime } from '../../pages/times.ts'
import type { Page as Rows } from '../../platform/http/paging.ts'
import { markup } from '../../platform/pages/markup.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { type Line, readLines } from './lines.ts'

const SHOWN = 200
/** More rows than anybody reads, and few enough to be made at once. */
const MOST_IN_FILE = 10_000

/** Who did what in the account. */
export function mountLog(pages: Pages, { database, clock }: ConsoleParts): void {
  const read = ({ principal }: Visit, limit: number) => database.read((tx) => readLines(tx, principal, limit))

  pages.show('/log', 'read', async (visit): Promise<Page> => {
    const { lines, more } = await read(visit, SHOWN)
    const now = clock.now()
    return {
      title: 'Who did what',
      place: 'log',
      body: markup`<div class="head"><h1>Who did what</h1><span class="end"><a class="button second" href="/log.csv">Download CSV</a></span></div>
<section class="sheet flush"><table><caption class="unseen">Who did what in this account, newest first</caption><thead><tr><th scope="col" class="w-time">Time, UTC</th><th scope="col">Who did what</th></tr></thead><tbody>${lines.map(
        ({ at, who, what, ticket }) =>
          markup`<tr><td class="nums">${listTime(at, now)}</td><td><bdi class="strong">${who}</bdi> ${ticket === undefined ? what : markup`<a href="/messages/${ticket}">${what}</a>`}</td></tr>`,
      )}</tbody></table></section>
${more && markup`<p class="soft">These are the newest. The file has more.</p>`}`,
    }
  })

  pages.file('/log.csv', 'read', async (visit) =>
    csvReply({
      name: 'who-did-what.csv',
      head: ['Time', 'Who', 'What', 'Ticket'],
      read: async (): Promise<Rows<Line>> => ({
        items: (await read(visit, MOST_IN_FILE)).lines,
        next: undefined,
      }),
      line: ({ at, who, what, ticket }) => [new Date(at).toISOString(), who, what, ticket],
    }),
  )
}
