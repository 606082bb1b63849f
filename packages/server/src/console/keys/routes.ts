import type { KeepOldFor, OwnKey, Rotated } from '../../accounts/index.ts'
import { Problem } from '../../domain/errors.ts'
import { errorPage } from '../../platform/pages/error.ts'
import { goTo, pageReply } from '../../platform/pages/reply.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { keysPage } from './page.ts'
import { KEPT } from './section.ts'

const PATH = '/keys'

/** The page of an account's keys: when each was made and used, a new secret while the old one works on. */
export function mountKeys(pages: Pages, parts: ConsoleParts): void {
  const { account, clock, sandbox } = parts

  pages.show(PATH, 'build', (visit) => page(visit, {}))

  pages.change(`${PATH}/:id/rotate`, { right: 'build', proven: true }, async (visit, form) => {
    const key = await ownKey(visit)
    if (!key) return noSuchKey()
    if (key.endsAt > 0) return page(visit, { problem: MADE_ALREADY }, 409)
    const keep = keepOf(form)
    return rotated(visit, key, keep)
  })

  pages.change(`${PATH}/:id/end`, { right: 'build' }, async (visit) => {
    const { principal } = visit
    const ended = await account.keys.end(principal, idOf(visit))
    return ended ? goTo(`${PATH}?done=ended`) : noSuchKey()
  })

  async function rotated(visit: Visit, { id }: OwnKey, keep: KeepOldFor): Promise<Page> {
    try {
      return await page(visit, { made: await account.keys.rotate(visit.principal, id, keep) })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const problem = error.code === 'key_not_current' ? MADE_ALREADY : error.message
      return page(visit, { problem }, error.status)
    }
  }

  async function page(visit: Visit, { made, problem }: Shown, status = 200): Promise<Page> {
    const { c, principal, person, form } = visit
    const view = keysPage({
      keys: await account.keys.list(principal),
      now: clock.now(),
      form,
      isDemo: sandbox?.demo?.accountId === person.accountId,
      made,
      problem,
      ended: made === undefined && c.req.query('done') === 'ended',
    })
    return { ...view, place: 'keys', middle: true, status }
  }

  async function ownKey(visit: Visit): Promise<OwnKey | undefined> {
    const id = idOf(visit)
    return (await account.keys.list(visit.principal)).find((key) => key.id === id)
  }
}

interface Shown {
  made?: Rotated
  problem?: string
}

const MADE_ALREADY =
  'A new secret was made already, and is not shown again. If it is lost, make another one: the old one works on.'

function idOf({ c }: Visit): string {
  return c.req.param('id') ?? ''
}

function keepOf(form: URLSearchParams): KeepOldFor {
  const asked = form.get('keep')
  return KEPT.find(({ keep }) => keep === asked)?.keep ?? 'P1D'
}

function noSuchKey(): Response {
  const page = errorPage({
    title: 'There is no such key',
    text: 'It has ended, or it is not one of your account. Nothing was done.',
    link: { href: PATH, text: 'See your keys' },
  })
  return pageReply(page, { status: 404 })
}
