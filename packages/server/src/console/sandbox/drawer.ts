import { toDecimal } from '@wigwag/contract'
import { duration } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { localPath } from '../../portal/index.ts'
import { faultsInWords } from '../../sandbox/index.ts'
import type { SandboxFrame } from '../frame/shell.ts'
import type { Visit } from '../frame/visit.ts'
import type { SandboxParts } from '../parts.ts'
import { refusedBriefly } from './refused.ts'
import { controls } from './sections.ts'
import type { SandboxView } from './view.ts'

const FEW = 3

/** The panel with the sandbox's controls, which opens over every page. */
export async function sandboxFrame(visit: Visit, sandbox: SandboxParts): Promise<SandboxFrame> {
  const view = await viewOf(visit, sandbox, { ids: 'drawer', most: FEW })
  return {
    faults: faultsInWords(view.faults),
    ahead: view.ahead === 0 ? undefined : duration(view.ahead),
    drawer: visit.may('build') ? drawerOf(view) : undefined,
  }
}

function drawerOf(view: SandboxView): Markup {
  return markup`<aside id="sandbox" class="drawer" popover="manual" aria-label="Sandbox controls">
<div class="head"><h2>Sandbox controls</h2><span class="end"><button class="second tiny" popovertarget="sandbox" popovertargetaction="hide">Close</button></span></div>
${controls(view, refusedBriefly(view))}</aside>`
}

/** What the controls show to a person. */
export async function viewOf(
  { c, form, person, principal }: Visit,
  sandbox: SandboxParts,
  { ids, most }: { ids: SandboxView['ids']; most: number },
): Promise<SandboxView> {
  const { clock, faults, refused, demo, start, startOver } = sandbox
  const { accountId } = person
  return {
    ...(await sandbox.overview(principal, most)),
    form,
    back: pageOf(c.req.method, c.req.url),
    ids,
    now: clock.now(),
    ahead: clock.ahead(),
    faults: faults.settings(),
    refused: refused.latest(accountId),
    currency: person.wallet.currency,
    pendingSenders: [...principal.senders].flatMap(([sender, status]) =>
      status === 'pending' ? [sender] : [],
    ),
    startOver:
      demo?.accountId === accountId
        ? { start: toDecimal(start), running: startOver.isRunning(accountId) }
        : undefined,
  }
}

/** The page that a person is on. The answer to a form has no address to come back to. */
function pageOf(method: string, address: string): string {
  const { pathname, search } = new URL(address)
  return (method === 'GET' ? localPath(pathname + search) : undefined) ?? '/sandbox'
}
