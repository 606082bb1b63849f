import type { Markup } from '../../../net/pages/markup.ts'
import { faultsInWords, type Sandbox } from '../../../sandbox/index.ts'
import { duration, listTime } from '../../times.tsx'
import type { SandboxFrame } from '../frame/shell.tsx'
import type { Visit } from '../frame/visit.tsx'
import { controls } from './sections.tsx'
import { type SandboxView, viewOf } from './view.tsx'

const FEW = 3

/** The panel with the sandbox's controls, which opens over every page. */
export async function sandboxFrame(visit: Visit, sandbox: Sandbox): Promise<SandboxFrame> {
  const view = await viewOf(visit, sandbox, { ids: 'drawer', most: FEW })
  return {
    faults: faultsInWords(view.faults),
    ahead: view.ahead === 0 ? undefined : duration(view.ahead),
    drawer: visit.may('build') ? drawerOf(view) : undefined,
  }
}

function drawerOf(view: SandboxView): Markup {
  return (
    <aside id="sandbox" class="drawer" popover="manual" aria-label="Sandbox controls">
      <div class="head">
        <h2>Sandbox controls</h2>
        <span class="end">
          <button class="second tiny" popovertarget="sandbox" popovertargetaction="hide">
            Close
          </button>
        </span>
      </div>
      {controls(view, refusedBriefly(view))}
    </aside>
  )
}

/** The newest refused requests, for the drawer. */
function refusedBriefly({ refused, now }: SandboxView): Markup {
  const some = refused.slice(0, FEW)
  return (
    <section>
      <h3>
        Requests that were refused
        {some.length > 0 && (
          <>
            {' '}
            <span class="soft">last {some.length}</span>
          </>
        )}
      </h3>
      {some.length === 0 ? (
        <p class="soft small">None since the start.</p>
      ) : (
        <>
          <ul class="mono refusals">
            {some.map(({ at, status, code }) => (
              <li>
                {listTime(at, now)} <span class="bad">{status}</span> {code}
              </li>
            ))}
          </ul>
          <p>
            <a class="small" href="/sandbox#refused">
              All, with their reasons
            </a>
          </p>
        </>
      )}
    </section>
  )
}
