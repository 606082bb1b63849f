import type { CarrierVerdict } from '../../delivery/index.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { goTo } from '../../platform/pages/reply.ts'
import { localPath } from '../../portal/index.ts'
import { NO_FAULTS, PLAY_MONEY } from '../../sandbox/index.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { ConsoleParts, SandboxParts } from '../parts.ts'
import { viewOf } from './drawer.ts'
import { readFaultsForm, type WrongFaults } from './read-faults.ts'
import { refusedTable } from './refused.ts'
import { controls } from './sections.ts'

const STEPS: Readonly<Record<string, number>> = { '1m': 60_000, '1h': 3_600_000, '1d': 86_400_000 }
const VERDICTS: readonly CarrierVerdict[] = ['success', 'undelivered', 'expired', 'rejected', 'failed']
const SEVERAL = 20
/** A reset that takes longer goes on after the answer. */
const PATIENCE_MS = 5_000

/** The sandbox's controls: a page, and what their forms post. */
export function mountSandboxPages(pages: Pages, { onFault }: ConsoleParts, sandbox: SandboxParts): void {
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
      body: markup`<div class="head"><h1>Sandbox</h1></div>
${note}${wrong && summary(wrong)}
<div class="sheet controls">${controls(view, markup``)}</div>
${refusedTable(view)}`,
    }
  }

  function gone(visit: Visit, text: string): Promise<Page> {
    const note = markup`<p class="note bad" role="alert">${text} Nothing was done.</p>`
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
  const links = Object.entries(errors).map(
    ([name, error]) => markup`<li><a href="#page-${name}">${error}</a></li>`,
  )
  return markup`<div class="note bad" role="alert"><p class="strong">The faults are as before.</p><ul>${links}</ul></div>`
}
