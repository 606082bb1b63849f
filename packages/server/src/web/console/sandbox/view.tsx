import { toDecimal } from '@wigwag/contract'
import type { RefusedRequest } from '../../../accounts/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import {
  type FaultErrors,
  type FaultSettings,
  readFaults,
  type Sandbox,
  type SandboxOverview,
} from '../../../sandbox/index.ts'
import { localPath } from '../../../sign-in/portal/index.ts'
import type { Visit } from '../frame/visit.tsx'

/** The state of the controls, in the drawer and on their page. */
export interface SandboxView extends SandboxOverview {
  form: FormTicket
  /** The page that a form comes back to. */
  back: string
  /** Before the ids of fields, which are on a page twice when the drawer is. */
  ids: 'drawer' | 'page'
  now: EpochMs
  /** How far the clock is ahead of the real time. */
  ahead: number
  faults: FaultSettings
  /** Typed faults that could not be read. */
  wrong?: WrongFaults | undefined
  refused: readonly RefusedRequest[]
  currency: string
  pendingSenders: readonly string[]
  /** The balance after starting over, and whether that is running; only for the demo account. */
  startOver: { start: number; running: boolean } | undefined
}

/** A form of the controls: where it posts, and where it comes back to. */
export function controlForm(
  { form, back }: Pick<SandboxView, 'form' | 'back'>,
  what: string,
  body: Markup,
): Markup {
  return (
    <form method="post" action={`/sandbox/${what}`}>
      {ticketField(form)}
      <input type="hidden" name="back" value={back} />
      {body}
    </form>
  )
}

/** The heading of a section: one level below that of the drawer, or of the page. */
export function heading({ ids }: Pick<SandboxView, 'ids'>, text: Markup): Markup {
  return ids === 'page' ? <h2 class="heading">{text}</h2> : <h3>{text}</h3>
}

/** The fields as typed, and their errors. */
export interface WrongFaults {
  given: Record<string, string>
  errors: FaultErrors
}

/** Reads the form of faults. A fault whose box is not ticked is off, whatever its field says. */
export function readFaultsForm(form: URLSearchParams): FaultSettings | WrongFaults {
  const on = (name: string) => (form.has(name) ? (form.get(`${name}-value`) ?? '') : undefined)
  const read = readFaults({
    slow: on('slow'),
    lost: on('lost'),
    receivers: on('receivers'),
    gateway: on('gateway'),
  })
  return 'errors' in read ? { given: Object.fromEntries(form), ...read } : read
}

/** The state of the controls for a person. */
export async function viewOf(
  { c, form, person, principal }: Visit,
  sandbox: Sandbox,
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
