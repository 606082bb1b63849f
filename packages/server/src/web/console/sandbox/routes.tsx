import type { CarrierVerdict } from '../../../delivery/index.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/time/spans.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { NO_FAULTS, PLAY_MONEY, type Sandbox } from '../../../sandbox/index.ts'
import { localPath } from '../../../sign-in/portal/index.ts'
import type { Pages } from '../frame/pages.tsx'
import type { Page, Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { refusedRows } from '../widgets/refused-rows.tsx'
import { controls } from './sections.tsx'
import { readFaultsForm, type SandboxView, viewOf, type WrongFaults } from './view.tsx'

const STEPS: Readonly<Record<string, number>> = { '1m': MINUTE_MS, '1h': HOUR_MS, '1d': DAY_MS }
const VERDICTS: readonly CarrierVerdict[] = ['success', 'undelivered', 'expired', 'rejected', 'failed']
const SEVERAL = 20
/** A reset that takes longer goes on after the answer. */
const PATIENCE_MS = 5_000

/** The sandbox's controls: a page, and what their forms post. */
export function mountSandboxPages(pages: Pages, { onFault }: ConsoleParts, sandbox: Sandbox): void {
  pages.show('/sandbox', 'build', (visit) => page(visit))

  pages.change('/sandbox/clock', { right: 'build' }, async ({ principal }, form) => {
    const by = form.get('by') ?? ''
    const next = by === 'next' ? (await sandbox.overview(principal, 0)).nextScheduled : undefined
    const ms = next === undefined ? STEPS[by] : next - sandbox.clock.now()
    if (ms !== undefined && ms > 0) await sandbox.forward(principal, ms)
    return goBack(form)
  })

  pages.change('/sandbox/tell', { right: 'build' }, async (visit, form) => {
    const verdict = VERDICTS.find((one) => one === form.get('as'))
    const told = verdict && (await sandbox.tell(visit.principal, form.get('ticket') ?? '', verdict))
    return told ? goBack(form) : gone(visit, 'There is no such message of this account.')
  })

  pages.change('/sandbox/faults', { right: 'build' }, async (visit, form) => {
    const read = form.has('off') ? NO_FAULTS : readFaultsForm(form)
    if ('errors' in read) return page(visit, { status: 422, wrong: read })
    sandbox.faults.set(read)
    return goBack(form)
  })

  pages.change('/sandbox/money', { right: 'build' }, async ({ principal }, form) => {
    const what = form.get('do')
    if (what === 'add') await sandbox.addMoney(principal, PLAY_MONEY)
    if (what === 'empty') await sandbox.emptyWallet(principal)
    return goBack(form)
  })

  pages.change('/sandbox/senders', { right: 'build' }, async (visit, form) => {
    const approved = await sandbox.approveSender(visit.principal, form.get('sender') ?? '')
    return approved ? goBack(form) : gone(visit, 'No such sender ID of this account waits.')
  })

  pages.change('/sandbox/start-over', { right: 'build' }, async (visit, form) => {
    const { principal } = visit
    if (sandbox.demo?.accountId !== principal.accountId)
      return gone(visit, 'Only the demo account can start over.')
    const under = sandbox.startOver.run(principal).catch(onFault)
    await Promise.race([under, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref())])
    return goBack(form)
  })

  async function page(visit: Visit, { status = 200, note, wrong }: Shown = {}): Promise<Page> {
    const view = {
      ...(await viewOf(visit, sandbox, { ids: 'page', most: SEVERAL })),
      wrong,
      back: '/sandbox',
    }
    return {
      title: 'Sandbox',
      place: 'sandbox',
      status,
      body: (
        <>
          <div class="head">
            <h1>Sandbox</h1>
          </div>
          {note}
          {wrong && summary(wrong)}
          <div class="sheet controls">{controls(view)}</div>
          {refusedTable(view)}
        </>
      ),
    }
  }

  function gone(visit: Visit, text: string): Promise<Page> {
    const note = (
      <p class="note bad" role="alert">
        {text} Nothing was done.
      </p>
    )
    return page(visit, { status: 404, note })
  }
}

interface Shown {
  status?: number
  note?: Markup
  wrong?: WrongFaults | undefined
}

/** Back to the page that the drawer was open on, where the script opens it again. */
function goBack(form: URLSearchParams): Response {
  const back = localPath(form.get('back') ?? undefined) ?? '/sandbox'
  return goTo(back.startsWith('/sandbox') ? back : `${back}#sandbox`)
}

function summary({ errors }: WrongFaults): Markup {
  const links = Object.entries(errors).map(([name, error]) => (
    <li>
      <a href={`#page-${name}`}>{error}</a>
    </li>
  ))
  return (
    <div class="note bad" role="alert">
      <p class="strong">The faults are as before.</p>
      <ul>{links}</ul>
    </div>
  )
}

/** The newest refused requests. */
function refusedTable({ refused, now }: SandboxView): Markup {
  if (refused.length === 0)
    return (
      <section id="refused">
        <h2>Requests that were refused</h2>
        <p class="soft">None since the gateway started.</p>
      </section>
    )
  return (
    <section id="refused">
      <h2>Requests that were refused</h2>
      <p class="soft small">The newest 200 since the gateway started, without what they contained.</p>
      {refusedRows(
        refused.map(({ method, path, ...request }) => ({ ...request, what: `${method} ${path}` })),
        now,
      )}
    </section>
  )
}
