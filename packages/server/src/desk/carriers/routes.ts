import { findAccount } from '../../accounts/index.ts'
import {
  type CarrierPlan,
  costsByDay,
  differenceOf,
  forecast,
  isNothing,
  outcomeInWords,
  PlanError,
  partCost,
  readCosts,
  requestedReloads,
} from '../../delivery/index.ts'
import { planHere } from '../../doctor/index.ts'
import { enteredReasonOrNone, enteredRecipient } from '../../domain/entered.ts'
import { epochMs } from '../../domain/ids.ts'
import { checkSender } from '../../domain/sender.ts'
import { goTo } from '../../platform/pages/reply.ts'
import { ACT, LOOK, PROVEN } from '../frame/guard.ts'
import type { Pages } from '../frame/pages.ts'
import { refusal } from '../frame/refusal.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { readFields, typedIn } from '../widgets/fields.ts'
import { carriersPart, LIVE, listPage } from './list-page.ts'
import { carrierPage } from './page.ts'
import { type CarrierRead, type CarriersRead, readCarriers } from './read.ts'
import { RELOAD, reloadedPage, reloadPage } from './reload-page.ts'
import { switchPage } from './switch-page.ts'
import { confirmTestPage, readTest, TEST_FIELDS, testedPage, testPage } from './test-page.ts'
import { createTrials } from './trials.ts'
import { WAY_FIELDS, wayPage } from './way-page.ts'
import { pathOf } from './words.ts'

const EVERY_MS = 2_000
const DAY_MS = 86_400_000
const DAYS = 31

/** The carriers: how each is, the plan in force, which way a number would go, and what operators do with carriers. */
export function mountCarriers(pages: Pages, parts: DeskParts): void {
  const { database, workOf, config, planInForce, carrierFor } = parts
  const trials = createTrials()

  /** Work on the carrier that the address names. */
  const on =
    <Rest extends unknown[]>(
      work: (
        carrier: CarrierRead,
        read: CarriersRead,
        visit: Visit,
        ...rest: Rest
      ) => Promise<Page | Response>,
    ) =>
    async (visit: Visit, ...rest: Rest): Promise<Page | Response> => {
      const read = await readCarriers(parts)
      const name = visit.c.req.param('name')
      const carrier = read.carriers.find((one) => one.name === name)
      return carrier ? work(carrier, read, visit, ...rest) : nothing()
    }

  pages.show('/carriers', LOOK, async (visit) => {
    const { given } = config.carrier
    const skip = Number(/^\d{1,6}$/.exec(visit.c.req.query('routes') ?? '')?.[0] ?? 0)
    // A setting that is no file may hold a password.
    const file = /^file:/i.test(given) ? given.slice('file:'.length) : undefined
    return listPage({ read: await readCarriers(parts), visit, file, skip })
  })
  pages.live(LIVE, LOOK, {
    read: async () => carriersPart(await readCarriers(parts)).toString(),
    everyMs: EVERY_MS,
  })

  pages.show('/carriers/plan/way', LOOK, async ({ c }) => {
    const query = new URL(c.req.url).searchParams
    const typed = typedIn(query, WAY_FIELDS)
    if (!query.has('number')) return wayPage({ typed })
    const read = readFields<{ number: string; from: string }>(query, {
      number: enteredRecipient,
      from: (text) => {
        if (text.trim() !== '') checkSender(text.trim())
        return text.trim()
      },
    })
    if ('problems' in read) return wayPage({ typed, problems: read.problems })
    const { number, from } = read.values
    const account = typed.account?.trim() ?? ''
    const accountId = account === '' ? '' : (await database.read((tx) => findAccount(tx, account)))?.id
    if (accountId === undefined)
      return wayPage({ typed, problems: { account: 'Expected the account ID or e-mail of a customer.' } })
    const reports = await workOf({ actor: 'gateway' }).carriers.reports()
    const found = forecast(planInForce().plan, { recipient: number, sender: from, accountId }, reports)
    return wayPage({ typed, number, forecast: found })
  })

  pages.show(RELOAD, ACT, async (visit) => {
    const { carriers } = workOf(visit.acting)
    const asked = visit.c.req.query('asked')
    if (asked !== undefined && /^\d{1,9}$/.test(asked))
      return reloadedPage(await carriers.reports(), Number(asked))
    const reloads = await database.read(requestedReloads)
    const { overview, inForce } = await readCarriers(parts)
    const waitingOf = (name: string) =>
      overview.messages.find(({ carrier }) => carrier === name)?.waiting ?? 0
    const common = { inForce, reloads, gateways: overview.reports.length, waitingOf }
    const next = readable()
    if ('problems' in next)
      return reloadPage(visit, {
        ...common,
        ...{ difference: undefined, isNothing: true, problems: next.problems, warnings: [] },
      })
    const difference = differenceOf(inForce.plan, next.plan)
    return reloadPage(visit, {
      ...common,
      ...{ difference, isNothing: isNothing(difference), problems: [], warnings: next.plan.warnings },
    })
  })
  pages.change(RELOAD, ACT, async (visit, form) => {
    const after = /^\d{1,9}$/.exec(form.get('after') ?? '')?.[0]
    if (after === undefined) return goTo(RELOAD)
    return goTo(`${RELOAD}?asked=${await workOf(visit.acting).carriers.reload(Number(after))}`)
  })

  /** What the setting and its file say now. */
  function readable(): { plan: CarrierPlan } | { problems: readonly string[] } {
    try {
      return { plan: planHere(config) }
    } catch (error) {
      if (error instanceof PlanError) return { problems: error.problems }
      throw error
    }
  }

  pages.show(
    '/carriers/:name',
    LOOK,
    on(async (carrier, read, visit) => {
      const { c } = visit
      const today = Math.floor(read.now / DAY_MS)
      const asked = Date.parse(c.req.query('day') ?? '')
      const day = Number.isNaN(asked) ? today : Math.min(today, Math.max(0, Math.floor(asked / DAY_MS)))
      const { days, costs } = await database.read(async (tx) => ({
        days: await costsByDay(tx, carrier.name, epochMs((today - DAYS + 1) * DAY_MS)),
        costs: await readCosts(tx, epochMs(day * DAY_MS), epochMs((day + 1) * DAY_MS)),
      }))
      return carrierPage({ carrier, read, visit, days, day, costs, done: DONE[c.req.query('done') ?? ''] })
    }),
  )

  pages.show(
    '/carriers/:name/switch',
    ACT,
    on(async (carrier, { inForce: { plan } }, visit) => switchPage(visit, { carrier, plan })),
  )
  pages.change(
    '/carriers/:name/switch',
    ACT,
    on(async (carrier, { inForce: { plan } }, visit, form: URLSearchParams) => {
      const read = readFields(form, {
        reason: enteredReasonOrNone,
      })
      if ('problems' in read)
        return switchPage(visit, {
          ...{ carrier, plan, typed: form.get('reason') ?? '', problem: read.problems.reason },
        })
      const { carriers } = workOf({ ...visit.acting, reason: read.values.reason })
      const to = form.get('to') === 'resumed' ? 'resumed' : 'paused'
      await (to === 'resumed' ? carriers.resume(carrier.name) : carriers.pause(carrier.name))
      return goTo(pathOf(carrier.name, `?done=${to}`))
    }),
  )

  pages.show(
    '/carriers/:name/test',
    ACT,
    on(async ({ name, paused }, { inForce: { plan } }, visit) => {
      const query = new URL(visit.c.req.url).searchParams
      const trial = query.get('trial')
      if (trial !== null) {
        const begun = trials.of(trial)
        return begun ? testedPage(name, begun.result) : tooLate(name)
      }
      const typed = typedIn(query, TEST_FIELDS)
      if (!query.has('number')) return testPage(name, typed)
      const read = readTest(query)
      if ('problems' in read) return testPage(name, typed, read.problems)
      const { number: recipient, from: sender } = read.values
      return confirmTestPage(visit, {
        ...{ carrier: name, test: read.values, trial: trials.offer(), isPaused: paused !== undefined },
        unit: partCost(plan, { recipient, sender, accountId: '' }, name),
      })
    }),
  )
  pages.change(
    '/carriers/:name/test',
    PROVEN,
    on(async ({ name }, { inForce: { plan } }, visit, form: URLSearchParams) => {
      const read = readTest(form)
      if ('problems' in read) return testPage(name, typedIn(form, TEST_FIELDS), read.problems)
      const settings = plan.carriers.get(name)
      if (!settings) return nothing()
      const { number: recipient, from: sender, text: content } = read.values
      const { carriers } = workOf(visit.acting)
      const trial = form.get('trial') ?? ''
      const isOffered = await trials.begin(trial, async () =>
        outcomeInWords(name, await carriers.trial(carrierFor(settings), { recipient, sender, content })),
      )
      return isOffered ? goTo(pathOf(name, `/test?trial=${encodeURIComponent(trial)}`)) : tooLate(name)
    }),
  )
}

const DONE: Readonly<Record<string, string | undefined>> = {
  paused: 'It is paused: running gateways submit nothing to it within a second.',
  resumed: 'It is not paused any more: its messages go out within a second.',
}

function nothing(): Response {
  return refusal(404, {
    title: 'There is no such carrier',
    text: 'No carrier of the plan or of a running gateway has this name.',
    link: { href: '/carriers', text: 'See the carriers' },
  })
}

function tooLate(carrier: string): Response {
  return refusal(409, {
    title: 'This test is not known any more',
    text: 'It was offered by another gateway, or before this one started. Nothing was sent now. The audit log has what was sent before.',
    link: { href: pathOf(carrier, '/test'), text: 'Make another test' },
  })
}
