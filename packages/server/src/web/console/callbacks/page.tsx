import {
  type CallbackFilter,
  type CallbackLog,
  MOST_COUNTED,
  MOST_REPLAYS,
  type ToReplay,
} from '../../../callbacks/index.ts'
import { epochMs } from '../../../kernel/ids.ts'
import { DAY_MS } from '../../../kernel/time/spans.ts'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { icon } from '../../icons.tsx'
import { codeBox } from '../../widgets/code.tsx'
import type { Pages } from '../frame/pages.tsx'
import { missingPage, type Page, unlessMissing, type Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { approvedSender } from '../widgets/samples.ts'
import { type ReadFilter, readFilter, type Terms, withTerm } from './filter.ts'
import { type CallbackList, callbackList, callbacksFile } from './list.tsx'

const ROWS = 60
const COUNT = /^\d{1,9}$/
const MILLISECONDS = /^\d{1,15}$/

/** The log of callbacks, and the forms that have them posted again. */
export function mountCallbacks(pages: Pages, { callbacks: { log }, clock }: ConsoleParts): void {
  pages.show('/callbacks', 'texts', (visit) => {
    const read = readFilter(qOf(visit), clock.now())
    return 'wrong' in read ? refused(visit, read.wrong) : list(visit, read)
  })

  pages.file('/callbacks.csv', 'texts', async (visit) => {
    const read = readFilter(qOf(visit), clock.now())
    return 'wrong' in read ? refused(visit, read.wrong) : callbacksFile(log, visit.principal, read.filter)
  })

  pages.change('/callbacks/replay', { right: 'build' }, async ({ principal }, form) => {
    const since = form.get('since') ?? ''
    const q = form.get('q') ?? ''
    if (!MILLISECONDS.test(since)) return goTo(addressOf(q))
    const { replayed, skipped } = await log.replayFailed(principal, epochMs(Number(since)))
    return goTo(addressOf(q, { posted: String(replayed), ...(skipped > 0 && { left: String(skipped) }) }))
  })

  pages.change('/callbacks/:id/replay', { right: 'build' }, async ({ c, principal }, form) => {
    const callback = await unlessMissing(log.replay(principal, c.req.param('id') ?? ''))
    if (!callback) return missingPage({ what: 'callback', place: 'callbacks' })
    const q = form.get('q') ?? ''
    return goTo(`/messages/${callback.messageId}${q === '' ? '' : `?${new URLSearchParams({ q })}`}`)
  })

  async function list(visit: Visit, read: Extract<ReadFilter, { terms: unknown }>): Promise<Page> {
    const { c, principal } = visit
    const { filter, terms } = read
    const page = { cursor: c.req.query('cursor'), limit: ROWS }
    const { items, next } = await log.list(principal, filter, page)
    const q = qOf(visit)
    const body = callbacksPage({
      ...(await frameOf(visit, filter)),
      q,
      terms,
      wrong: undefined,
      rows: items,
      older: next && addressOf(q, { cursor: next }),
    })
    return { title: 'Callbacks', place: 'callbacks', body }
  }

  async function refused(visit: Visit, wrong: string): Promise<Page> {
    const none = { state: undefined, ticket: undefined, since: undefined }
    const around = await frameOf(visit, none)
    const shown = { q: qOf(visit), terms: undefined, wrong, rows: [], older: undefined }
    const body = callbacksPage({ ...around, ...shown, toReplay: undefined })
    return { title: 'Error: Callbacks', place: 'callbacks', body, status: 422 }
  }

  /** The page around its list. A filter by ticket offers no replay: the message's own page does. */
  async function frameOf(visit: Visit, { ticket, since }: CallbackFilter) {
    const { c, form, may, principal } = visit
    const now = clock.now()
    const posted = c.req.query('posted') ?? ''
    const left = c.req.query('left') ?? ''
    return {
      form,
      now,
      mayBuild: may('build'),
      today: await log.states(principal, epochMs(now - (now % DAY_MS))),
      toReplay: ticket === undefined ? await log.toReplay(principal, since) : undefined,
      posted: COUNT.test(posted) ? Number(posted) : undefined,
      left: COUNT.test(left) ? Number(left) : 0,
      sender: approvedSender(principal),
      exportHref: addressOf(qOf(visit)).replace('/callbacks', '/callbacks.csv'),
    }
  }
}

function qOf({ c }: Visit): string {
  return (c.req.query('q') ?? '').trim()
}

type States = Awaited<ReturnType<CallbackLog['states']>>

interface CallbacksView extends CallbackList {
  q: string
  /** Undefined when the filter could not be read; then `wrong` says why. */
  terms: Terms | undefined
  wrong: string | undefined
  form: FormTicket
  /** Whether the person may have callbacks posted again. */
  mayBuild: boolean
  today: States
  toReplay: ToReplay | undefined
  /** How many were just posted again. */
  posted: number | undefined
  /** How many were left then, because they were posted again as often as they may be today. */
  left: number
  /** The sender ID of the sample; an account may have none yet. */
  sender: string | undefined
}

/** The log of callbacks, with those that were given up to be posted again. */
function callbacksPage(view: CallbacksView): Markup {
  const { today, toReplay, posted, left, terms, q, wrong, rows, mayBuild } = view
  return (
    <>
      <div class="head">
        <h1>Callbacks</h1>
        <span class="soft small roomy nums">
          Today: {counted(today.delivered)} delivered, {counted(today.pending)} retrying,{' '}
          {counted(today.dead)} given up
        </span>
        {mayBuild && (
          <span class="end">
            <a class="button second" href="/developers#receive">
              Receive them
            </a>
          </span>
        )}
      </div>
      {posted !== undefined && (
        <div class="note good" role="status">
          <p>
            {several(posted)} posted again.
            {left > 0 && (
              <>
                {' '}
                {several(left)} left: posted again {MOST_REPLAYS} times today already.
              </>
            )}
          </p>
        </div>
      )}
      {mayBuild && toReplay && postAgain(view, toReplay)}
      <form class="filter" role="search" action="/callbacks">
        <label class="unseen" for="q">
          Filter callbacks
        </label>
        {icon('search')}
        <input
          class="box"
          id="q"
          name="q"
          value={q}
          placeholder="state:dead ticket:01a1f89c-3b65-7c3a-9f0e-2b6d5a1c8e4f since:2d"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-invalid={wrong !== undefined ? 'true' : undefined}
          aria-describedby={wrong !== undefined ? 'q-wrong' : undefined}
        />
        <kbd class="roomy">/</kbd>
      </form>
      {chips(terms ?? new Map())}
      {wrong !== undefined
        ? notRead(wrong)
        : rows.length > 0
          ? callbackList(view)
          : nothing(view, terms ?? new Map())}
    </>
  )
}

function counted(count: number): string {
  return count < MOST_COUNTED ? count.toLocaleString('en') : `${MOST_COUNTED.toLocaleString('en')} or more`
}

function postAgain({ q, form }: CallbacksView, { givenUp, waiting, since }: ToReplay): Markup {
  const all = givenUp + waiting
  const gaveUp = givenUp > 0 && `${several(givenUp)} given up.`
  const retries = waiting > 0 && `${several(waiting)} posted again later.`
  const again =
    Math.max(givenUp, waiting) < MOST_COUNTED ? `Post ${counted(all)} again` : 'Post all of them again'
  return (
    <form class={`note${givenUp > 0 ? ' bad' : ''} together`} method="post" action="/callbacks/replay">
      {ticketField(form)}
      <input type="hidden" name="since" value={since} />
      <input type="hidden" name="q" value={q} />
      <span>
        <span class="strong">{[gaveUp, retries].filter(Boolean).join(' ')}</span> When your receiver works
        again, have {all === 1 ? 'it' : 'them'} posted at once: same id, same bytes.
      </span>
      <span class="end">
        <button>{again}</button>
      </span>
    </form>
  )
}

function several(count: number): string {
  return count === 1 ? '1 callback is' : `${counted(count)} callbacks are`
}

const CHIPS = [
  { state: undefined, word: 'All' },
  { state: 'pending', word: 'Retrying', icon: 'again', tone: 'wait' },
  { state: 'dead', word: 'Given up', icon: 'cross' },
  { state: 'delivered', word: 'Delivered', icon: 'disc', tone: 'good' },
] as const

function chips(terms: Terms): Markup {
  const set = terms.get('state')
  const links = CHIPS.map((chip) => {
    const href = addressOf(withTerm(terms, 'state', chip.state))
    const drawing = 'icon' in chip && icon(chip.icon)
    return (
      <li>
        <a
          href={href}
          class={'tone' in chip ? chip.tone : undefined}
          aria-current={chip.state === set ? 'true' : undefined}
        >
          {drawing}
          {chip.word}
        </a>
      </li>
    )
  })
  return <ul class="chips">{links}</ul>
}

/** The address of the page under a filter. */
function addressOf(q: string, also: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...(q === '' ? {} : { q }), ...also })
  return query.size === 0 ? '/callbacks' : `/callbacks?${query}`
}

function notRead(wrong: string): Markup {
  return (
    <div class="note bad" role="alert">
      <p id="q-wrong">{wrong} Nothing is shown.</p>
    </div>
  )
}

function nothing(view: CallbacksView, terms: Terms): Markup {
  if (terms.size === 0) return firstOne(view)
  const drops = [...terms].map(([key, value]) => (
    <li>
      <a href={addressOf(withTerm(terms, key, undefined))}>
        Without{' '}
        <bdi class="mono">
          {key}:{value}
        </bdi>
      </a>
    </li>
  ))
  return (
    <section class="sheet">
      <h2>No callback matches</h2>
      <ul>{drops}</ul>
    </section>
  )
}

function firstOne({ sender = 'YOURNAME' }: CallbacksView): Markup {
  const lines = `wigwag listen
wigwag send --from ${sender} --to 233241234567 --content 'Hello' --callback-url http://127.0.0.1:8090`
  return (
    <section class="sheet">
      <h2>No callback was posted yet</h2>
      <p class="soft">
        A message that names a URL is reported there when it is final. To see one arrive, run the first line
        in one terminal and the second in another. Without <code>WIGWAG_CALLBACK_SECRET</code> the first
        prints an address of its own: give that to the second.
      </p>
      {codeBox('first-callback', lines, 'wrap')}
    </section>
  )
}
