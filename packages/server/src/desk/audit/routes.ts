import { findAccount } from '../../accounts/index.ts'
import { type AuditRow, readAudit } from '../../audit/index.ts'
import { csvReply } from '../../pages/csv.ts'
import { actorTyped, withNames } from '../../people/index.ts'
import type { Page as Rows } from '../../platform/http/paging.ts'
import { LOOK } from '../frame/guard.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { sinceOf, type TypedFilter, typedFilter } from './filter.ts'
import { auditPage } from './page.ts'

const SHOWN = 100
/** More rows than anybody reads, and few enough to be made at once. */
const MOST_IN_FILE = 10_000
const HEAD = ['Time', 'By', 'Action', 'Account', 'Detail']

/** Who did what: the newest, with filters in the address, and as a file. */
export function mountAudit(pages: Pages, { database, clock }: DeskParts): void {
  /** Undefined when an account or a time was asked for that is none. */
  async function rowsOf(typed: TypedFilter, limit: number): Promise<AuditRow[] | undefined> {
    const since = sinceOf(typed)
    if (since === 'wrong') return undefined
    // PostgreSQL refuses a text with it, and no row has one.
    if (`${typed.by}${typed.action}`.includes('\0')) return []
    return database.read(async (tx) => {
      const account = typed.account === '' ? undefined : await findAccount(tx, typed.account)
      if (typed.account !== '' && !account) return undefined
      const filter = {
        ...{ accountId: account?.id, since: since?.(clock.now()) },
        action: typed.action || undefined,
        actor: typed.by === '' ? undefined : await actorTyped(tx, typed.by),
      }
      return withNames(tx, await readAudit(tx, filter, limit))
    })
  }
  const typed = ({ c }: Visit) => typedFilter((name) => c.req.query(name))

  pages.show('/audit', LOOK, async (visit) => {
    const rows = await rowsOf(typed(visit), SHOWN)
    return auditPage({ typed: typed(visit), rows, now: clock.now(), isCut: rows?.length === SHOWN })
  })
  pages.file('/audit/file.csv', LOOK, async (visit) => {
    const items = (await rowsOf(typed(visit), MOST_IN_FILE)) ?? []
    return csvReply({
      name: 'audit.csv',
      head: HEAD,
      read: async (): Promise<Rows<AuditRow>> => ({ items, next: undefined }),
      line: ({ at, actor, action, accountId, detail }) => [
        ...[new Date(at).toISOString(), actor, action, accountId ?? '', JSON.stringify(detail)],
      ],
    })
  })
}
