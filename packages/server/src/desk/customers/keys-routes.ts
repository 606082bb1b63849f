import { type AccountRow, KEEP_MS, type KeyKind, OperatorError } from '../../accounts/index.ts'
import { goTo } from '../../platform/pages/reply.ts'
import { ACT, PROVEN } from '../frame/guard.ts'
import type { Pages } from '../frame/pages.ts'
import { refusal } from '../frame/refusal.ts'
import type { DeskParts } from '../parts.ts'
import type { One } from './one-customer.ts'
import { KEPT, rotatedPage } from './page.ts'
import { readCustomer } from './read.ts'
import { pathOf } from './words.ts'

/** Replacing and ending what opens an account: its keys, and the connections of its assistants. */
export function mountKeys(pages: Pages, parts: DeskParts, { on }: One): void {
  const { workOf } = parts
  pages.change(
    '/customers/:id/keys/rotate',
    PROVEN,
    on(async (account, visit, form: URLSearchParams) => {
      const { operator } = workOf(visit.acting)
      const [kind, current] = [kindIn(form), form.get('current') ?? '']
      const keep = KEPT.find((each) => each.keep === form.get('keep'))?.keep ?? 'P1D'
      const keepMs = KEEP_MS[keep]
      const rotate = {
        async client() {
          const made = await operator.rotateSecret(account.id, keepMs, current)
          return { secret: made.clientSecret, until: made.previousUntil }
        },
        async wallet() {
          const made = await operator.rotateWalletToken(account.id, keepMs, current)
          return { secret: made.walletToken, until: made.previousUntil }
        },
        async callback() {
          const made = await operator.rotateCallbackSecret(account.id, current)
          return { secret: made.callbackSecret, until: made.previousUntil }
        },
      }
      try {
        const { secret, until } = await rotate[kind]()
        const isOver = kind !== 'callback' && keepMs === 0
        const customer = await readCustomer(parts, account, visit)
        return rotatedPage(customer, { kind, secret, until: isOver ? undefined : until })
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        return madeAlready(account)
      }
    }),
  )
  pages.change(
    '/customers/:id/keys/end',
    ACT,
    on(async (account, visit, form: URLSearchParams) => {
      await unlessOver(() => workOf(visit.acting).operator.endKey(account.id, form.get('key') ?? ''))
      return goTo(pathOf(account, '?done=key'))
    }),
  )
  pages.change(
    '/customers/:id/connections/end',
    PROVEN,
    on(async (account, visit, form: URLSearchParams) => {
      const { connections } = workOf(visit.acting).operator
      await unlessOver(() => connections.end(account.id, form.get('connection') ?? ''))
      return goTo(pathOf(account, '?done=connection'))
    }),
  )
}

function kindIn(form: URLSearchParams): KeyKind {
  const kind = form.get('kind')
  return kind === 'wallet' || kind === 'callback' ? kind : 'client'
}

/** What somebody else, or the same press, has done already needs no doing. */
async function unlessOver(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
  }
}

function madeAlready(account: AccountRow): Response {
  return refusal(409, {
    title: 'It was replaced already',
    text: 'A new secret was made meanwhile, and is not shown again. If it is lost, replace it once more. Nothing was done now.',
    link: { href: pathOf(account), text: 'Back to the customer' },
  })
}
