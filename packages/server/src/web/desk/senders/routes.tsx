import { type AccountRow, findAccount, isErased, sendersOf } from '../../../accounts/index.ts'
import type { SenderStatus } from '../../../kernel/principal.ts'
import { enteredReason } from '../../../kernel/text/entered.ts'
import { field } from '../../../net/pages/forms.tsx'
import { goTo } from '../../../net/pages/reply.ts'
import { pathOf } from '../customers/words.tsx'
import { ending, hiddenFields, readFields } from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { ACT, LOOK, type Page, refusal, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { listPage, readWaiting } from './list.tsx'

/** The sender IDs that wait for a decision, and deciding. */
export function mountSenders(pages: Pages, { database, clock, workOf }: DeskParts): void {
  pages.show('/senders', LOOK, async (visit) => {
    const after = visit.c.req.query('after')
    const list = await database.read((tx) => readWaiting(tx, after))
    const now = clock.now()
    return listPage({ ...list, visit, now, isLater: after !== undefined, done: doneIn(visit) })
  })

  pages.change('/senders/approve', ACT, async (visit, form) => {
    const decision = await decisionIn(form)
    return decision ? decide(visit, decision, 'approved') : nothing()
  })

  pages.show('/senders/reject', ACT, async (visit) => {
    const decision = await decisionIn(new URL(visit.c.req.url).searchParams)
    if (!decision) return nothing()
    return decision.status === decision.seen ? rejectPage({ visit, ...decision }) : already(decision)
  })
  pages.change('/senders/reject', ACT, async (visit, form) => {
    const decision = await decisionIn(form)
    if (!decision) return nothing()
    const read = readFields(form, { reason: enteredReason })
    if ('values' in read) return decide(visit, decision, 'rejected', read.values.reason)
    const typed = form.get('reason') ?? ''
    return rejectPage({ visit, ...decision, typed, problem: read.problems.reason })
  })

  /** The sender ID that a form or an address names; undefined when there is none. */
  async function decisionIn(form: Pick<URLSearchParams, 'get'>): Promise<SenderDecision | undefined> {
    const [id, sender] = [form.get('account') ?? '', form.get('sender') ?? '']
    const seen = DECIDED.find((status) => status === form.get('seen')) ?? 'pending'
    return database.read(async (tx) => {
      const account = await findAccount(tx, id)
      if (!account || isErased(account)) return undefined
      const found = (await sendersOf(tx, account.id)).find((row) => row.sender === sender)
      return found && { account, sender, seen, status: found.status }
    })
  }

  /** Decided only while it is as the page showed it, so that of two who press at once the first decides. */
  async function decide(
    visit: Visit,
    decision: SenderDecision,
    status: 'approved' | 'rejected',
    reason?: string,
  ): Promise<Response> {
    const { account, sender, seen } = decision
    const { operator } = workOf(visit.acting)
    const isDone = await operator.setSender(account.id, sender, status, { reason, seen })
    if (isDone) return goTo(pathTo({ sender, status }))
    const now = await database.read((tx) => sendersOf(tx, account.id))
    return already({
      ...decision,
      status: now.find((row) => row.sender === sender)?.status ?? decision.status,
    })
  }
}

const DECIDED = ['approved', 'rejected'] as const

interface SenderDecision {
  account: AccountRow
  sender: string
  /** The status that the page showed, and the present one. */
  seen: SenderStatus
  status: SenderStatus
}

function already({ sender, status }: SenderDecision): Response {
  return goTo(pathTo({ sender, status, before: 'yes' }))
}

function pathTo(query: Record<string, string>): string {
  return `/senders?${new URLSearchParams(query)}`
}

/** The decision in the address. Its status is one of ours. */
function doneIn({ c }: Visit) {
  const [sender, status] = [c.req.query('sender'), c.req.query('status')]
  if (sender === undefined || (status !== 'approved' && status !== 'rejected')) return undefined
  return { sender: sender.slice(0, 15), status, isNew: c.req.query('before') === undefined }
}

function nothing(): Page {
  return refusal(404, {
    title: 'There is no such sender ID',
    text: 'No customer has asked for it. Nothing was done.',
    link: { href: '/senders', text: 'See what waits' },
  })
}

export interface RejectView {
  visit: Visit
  account: { id: string; name: string }
  sender: string
  seen: SenderStatus
  typed?: string | undefined
  problem?: string | undefined
}

function rejectPage({ visit, account, sender, seen, typed = '', problem }: RejectView): Page {
  return {
    title: 'Reject',
    place: 'senders',
    middle: true,
    status: problem === undefined ? 200 : 422,
    body: (
      <>
        <div class="head">
          <h1>
            Reject <bdi>{sender}</bdi>?
          </h1>
        </div>
        <section class="sheet narrow">
          <p>
            <a href={pathOf(account)}>
              <bdi>{account.name}</bdi>
            </a>{' '}
            can’t send from it then, and sees the reason on its page of sender IDs. It can be approved later,
            on the customer’s page.
          </p>
          <form method="post" action="/senders/reject">
            {hiddenFields(visit.form, { account: account.id, sender, seen })}
            {field(
              {
                id: 'reason',
                label: 'Reason',
                hint: 'The customer sees it; so does the audit log',
                error: problem,
              },
              (ties) => (
                <input
                  class="box"
                  {...ties}
                  name="reason"
                  value={typed}
                  maxlength={500}
                  autocomplete="off"
                  required
                />
              ),
            )}
            {ending(
              <button class="danger">Reject this sender ID</button>,
              seen === 'pending' ? '/senders' : pathOf(account),
            )}
          </form>
        </section>
      </>
    ),
  }
}
