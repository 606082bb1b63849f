import { OperatorError } from '../../accounts/index.ts'
import { goTo } from '../../platform/pages/reply.ts'
import { ACT, LOOK, PROVEN } from '../frame/guard.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { confirmEndPage, type ListView, linkPage, listPage } from './page.ts'

const LONGEST_NAME = 60

/** Who may enter the desk. */
export function mountOperators(pages: Pages, { workOf, url, clock }: DeskParts): void {
  async function list({ acting, operator, form }: Visit, problem?: ListView['problem']): Promise<Page> {
    const listed = await workOf(acting).operators.list()
    return listPage({ listed, me: operator, form, now: clock.now(), problem })
  }

  pages.show('/operators', LOOK, list)

  // Who may come in decides about money too, so it is asked again who does this.
  pages.change('/operators/add', PROVEN, async (visit, form) => {
    const name = (form.get('name') ?? '').trim()
    const role = form.get('role') === 'act' ? 'act' : 'look'
    if (name === '' || name.length > LONGEST_NAME || /\p{Cc}/u.test(name))
      return list(visit, { name, error: `Expected a name of 1 to ${LONGEST_NAME} characters.` })
    try {
      const { operator, secret } = await workOf(visit.acting).operators.add(name, role)
      return linkPage(operator, `${url()}/enter#${secret}`)
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      return list(visit, {
        name,
        error: `There is an operator ${name} already. End them first, and add them again.`,
      })
    }
  })

  pages.show('/operators/end', ACT, async (visit) => {
    const name = visit.c.req.query('name') ?? ''
    const listed = await workOf(visit.acting).operators.list()
    const found = listed.find((each) => each.name === name && each.endedAt === 0)
    return found ? confirmEndPage(found, visit) : goTo('/operators')
  })

  pages.change('/operators/end', PROVEN, async (visit, form) => {
    try {
      await workOf(visit.acting).operators.end(form.get('name') ?? '')
    } catch (error) {
      // Somebody else was quicker.
      if (!(error instanceof OperatorError)) throw error
    }
    return goTo('/operators')
  })
}
