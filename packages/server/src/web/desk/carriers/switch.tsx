import type { CarrierPlan } from '../../../delivery/index.ts'
import { enteredReasonOrNone } from '../../../kernel/text/entered.ts'
import { field } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { several } from '../../count.ts'
import { ending, hiddenFields, readFields } from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { ACT, type Page, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { type CarrierRead, onCarrier, pathOf, routesTo, waitingWords } from './carrier.tsx'

/** Pausing and resuming a carrier. */
export function mountSwitch(pages: Pages, parts: DeskParts): void {
  pages.show(
    '/carriers/:name/switch',
    ACT,
    onCarrier(parts, async (carrier, { inForce: { plan } }, visit) => switchPage(visit, { carrier, plan })),
  )
  pages.change(
    '/carriers/:name/switch',
    ACT,
    onCarrier(parts, async (carrier, { inForce: { plan } }, visit, form: URLSearchParams) => {
      const read = readFields(form, {
        reason: enteredReasonOrNone,
      })
      if ('problems' in read)
        return switchPage(visit, {
          carrier,
          plan,
          typed: form.get('reason') ?? '',
          problem: read.problems.reason,
        })
      const { carriers } = parts.workOf({ ...visit.acting, reason: read.values.reason })
      const to = form.get('to') === 'resumed' ? 'resumed' : 'paused'
      await (to === 'resumed' ? carriers.resume(carrier.name) : carriers.pause(carrier.name))
      return goTo(pathOf(carrier.name, `?done=${to}`))
    }),
  )
}

interface SwitchView {
  carrier: CarrierRead
  plan: CarrierPlan
  typed?: string | undefined
  problem?: string | undefined
}

/** Pauses or resumes a carrier, after saying what that does and to how many messages. */
function switchPage({ form }: Visit, { carrier, plan, typed, problem }: SwitchView): Page {
  const { name, paused, messages } = carrier
  const [verb, to] = paused ? (['Resume', 'resumed'] as const) : (['Pause', 'paused'] as const)
  const waiting = waitingWords(messages?.waiting ?? 0)
  return {
    title: verb,
    place: 'carriers',
    middle: true,
    status: problem === undefined ? 200 : 422,
    body: (
      <>
        <div class="head">
          <h1>
            {verb} <bdi>{name}</bdi>?
          </h1>
        </div>
        <section class="sheet narrow">
          {paused ? (
            <p>
              Running gateways submit to it again within a second. {waiting} for it now
              {(messages?.waiting ?? 0) > 0 && ', and will go out'}.
            </p>
          ) : (
            <>
              <p>Within a second, running gateways submit nothing more to it. {waiting} for it now.</p>
              {consequences(plan, name)}
              <p>What it has taken goes on to the end: its receipts are still taken.</p>
            </>
          )}
          <form method="post" action={pathOf(name, '/switch')}>
            {hiddenFields(form, { to })}
            {field(
              {
                id: 'reason',
                label: 'Reason',
                hint: 'Shown beside the carrier and kept in the audit log; may be empty',
                error: problem,
              },
              (ties) => (
                <input
                  class="box"
                  {...ties}
                  name="reason"
                  value={typed ?? ''}
                  maxlength={500}
                  autocomplete="off"
                />
              ),
            )}
            {ending(
              paused ? (
                <button>Resume this carrier</button>
              ) : (
                <button class="danger">Pause this carrier</button>
              ),
              pathOf(name),
            )}
          </form>
        </section>
      </>
    ),
  }
}

function consequences(plan: CarrierPlan, name: string): Markup {
  const { shared, alone } = routesTo(plan, name)
  const others = new Set(shared.flatMap(({ ways }) => ways.map((way) => way.name)))
  others.delete(name)
  return (
    <ul class="bullets">
      {shared.length > 0 && (
        <li>
          By {several(shared.length, 'route')}, messages go to <bdi>{[...others].sort().join(', ')}</bdi>{' '}
          instead.
        </li>
      )}
      {alone.length > 0 && (
        <li>
          By {several(alone.length, 'route')}, it is the only carrier: messages wait until it is resumed or
          their validity ends.
        </li>
      )}
      {shared.length + alone.length === 0 && <li>No route leads to it.</li>}
    </ul>
  )
}
