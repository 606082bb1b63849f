import { type Micros, micros, parseAmount } from '@wigwag/contract'
import { goTo } from '../../../net/pages/reply.ts'
import { ALERT_KINDS, type Choices } from '../../../operate/alerts/index.ts'
import type { AlertKind } from '../../../store/schema/schema.ts'
import type { Pages } from '../frame/pages.tsx'
import type { Page, Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { type AlertsPageView, alertsPage, type TypedChoices } from './alerts-page.tsx'

const PATH = '/alerts'

/** The page of an account’s alerts: those that are there and those that were, its choices, and mails to its people. */
export function mountAlerts(pages: Pages, { alerts, clock }: ConsoleParts): void {
  pages.show(PATH, 'read', (visit) => page(visit))

  pages.change(PATH, { right: 'build' }, async (visit, form) => {
    const read = choicesIn(form)
    if ('wrong' in read) return page(visit, read)
    await alerts.choose(visit.self, read.choices)
    return goTo(`${PATH}?done=chosen`)
  })

  pages.change(`${PATH}/known`, { right: 'build' }, async (visit, form) => {
    const known = await alerts.know(visit.self, form.get('alert') ?? '')
    return goTo(known ? `${PATH}?done=known` : PATH)
  })

  pages.change(`${PATH}/mail`, { right: 'read' }, async (visit, form) => {
    if (form.get('mail') === 'off') {
      await alerts.mailNoMore(visit.self)
      return goTo(`${PATH}?done=off`)
    }
    const is = await alerts.mail(visit.self)
    return goTo(is === 'not set up' ? PATH : `${PATH}?done=${is}`)
  })

  pages.change(`${PATH}/code`, { right: 'read' }, async (visit, form) => {
    const proven = await alerts.prove(visit.self, form.get('code') ?? '')
    return proven ? goTo(`${PATH}?done=on`) : page(visit, { wrongCode: WRONG_CODE })
  })

  async function page(visit: Visit, again: Refused = {}): Promise<Page> {
    const { c, person, may, form, self } = visit
    const view: AlertsPageView = {
      ...(await alerts.read(self, person.wallet.id)),
      ...again,
      canMail: alerts.canMail,
      email: person.email,
      currency: person.wallet.currency,
      mayChoose: may('build'),
      form,
      now: clock.now(),
      done: c.req.method === 'GET' ? c.req.query('done') : undefined,
    }
    const refused = again.wrong !== undefined || again.wrongCode !== undefined
    return {
      title: refused ? 'Error: Alerts' : 'Alerts',
      place: 'alerts',
      middle: true,
      status: refused ? 422 : 200,
      body: alertsPage(view),
    }
  }
}

type Refused = Pick<Partial<AlertsPageView>, 'typed' | 'wrong' | 'wrongCode'>

const WRONG_CODE = 'That is not the code of the mail. It is good until the end of the next day.'

/** The form's choices; those with an amount need one. */
function choicesIn(
  form: URLSearchParams,
): { choices: Choices } | { typed: TypedChoices; wrong: NonNullable<AlertsPageView['wrong']> } {
  const choices = new Map<AlertKind, Micros | null>()
  const typed: TypedChoices = new Map()
  const wrong = new Map<AlertKind, string>()
  for (const kind of ALERT_KINDS) {
    if (!form.has(kind)) continue
    const text = (form.get(`${kind}-amount`) ?? '').trim()
    typed.set(kind, text)
    if (kind === 'receiver' || kind === 'address') choices.set(kind, null)
    else {
      const amount = readAmount(text)
      if (amount === undefined) wrong.set(kind, `Expected an amount above 0, such as 5.00, got “${text}”.`)
      else choices.set(kind, amount)
    }
  }
  return wrong.size > 0 ? { typed, wrong } : { choices }
}

function readAmount(text: string): Micros | undefined {
  try {
    const amount = parseAmount(text)
    return amount > 0 ? micros(amount) : undefined
  } catch {
    return undefined
  }
}
