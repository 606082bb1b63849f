import type { KeepOldFor, KeyKind, OwnKey, Rotated } from '../../../accounts/index.ts'
import { Problem } from '../../../kernel/errors.ts'
import { errorPage } from '../../../net/pages/error.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo, pageReply } from '../../../net/pages/reply.ts'
import { dayAndTime } from '../../times.tsx'
import { codeBox } from '../../widgets/code.tsx'
import type { Pages } from '../frame/pages.tsx'
import type { Page, Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { KEPT, type KeysPageView, keySection } from './key-section.tsx'

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

const NEW: Readonly<Record<KeyKind, string>> = {
  client: 'client secret',
  wallet: 'wallet token',
  callback: 'callback secret',
}
const ORDER: readonly KeyKind[] = ['client', 'wallet', 'callback']

/** Lists an account's keys, each with the old ones that still work, and forms to replace or end one. */
function keysPage(view: KeysPageView): { title: string; body: Markup } {
  const { keys, made, problem, ended, isDemo } = view
  const owners = ORDER.flatMap((kind) => [
    ...Map.groupBy(
      keys.filter((key) => key.kind === kind),
      ({ ownerId }) => ownerId,
    ).values(),
  ])
  const body = (
    <>
      <div class="head">
        <h1>API keys</h1>
        <span class="soft">Times are UTC.</span>
      </div>
      {made && shownOnce(made)}
      {problem && (
        <div class="note bad" role="alert">
          <p>{problem}</p>
        </div>
      )}
      {ended && (
        <div class="note good" role="status">
          <p>The old key has ended. Gateways refuse it within a second.</p>
        </div>
      )}
      {owners.map((owned) => keySection({ ...view, keys: owned }))}
      {isDemo && (
        <p class="soft">
          This is the demo account of a sandbox, so its secrets stay readable:{' '}
          <a href="/developers">Developers</a>
        </p>
      )}
    </>
  )
  return { title: problem ? 'Error: API keys' : 'API keys', body }
}

function shownOnce({ key: { kind }, secret, previousUntil }: Rotated): Markup {
  return (
    <div class="note good" role="status">
      <p class="strong">Here is the new {NEW[kind]}. It is shown this once.</p>
      {codeBox('secret', secret, 'wrap')}
      <p>
        {kind === 'callback' ? 'Callbacks carry the signatures of both secrets' : 'The old one works'} until{' '}
        <span class="strong">{dayAndTime(previousUntil)} UTC</span>, so that you can change your programs
        first.
      </p>
    </div>
  )
}
