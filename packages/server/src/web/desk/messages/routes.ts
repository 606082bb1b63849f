import { type AccountRow, accountsWith, findAccount } from '../../../accounts/index.ts'
import { MOST_REPLAYS } from '../../../callbacks/index.ts'
import { UNCERTAIN_COLUMNS, type UncertainMessage, uncertainCells } from '../../../delivery/index.ts'
import { isTicket } from '../../../kernel/ids.ts'
import { enteredReasonOrNone } from '../../../kernel/text/entered.ts'
import { readSince } from '../../../kernel/time/spans.ts'
import type { FoundPage, MessageQuery } from '../../../messages/history/index.ts'
import { goTo } from '../../../net/pages/reply.ts'
import type { Page as Rows } from '../../../net/server/paging.ts'
import { routedHere } from '../../../operate/doctor/index.ts'
import { MOST_COUNTED } from '../../count.ts'
import { csvReply } from '../../files.ts'
import { readFields } from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { ACT, LOOK, type Page, PROVEN, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { deadPage, replayPage } from './callbacks.tsx'
import { Decisions, planOf } from './decisions.ts'
import { LONGEST_SEARCH, listPage, placeIn, queryFor } from './list.tsx'
import { messagePage } from './page.tsx'
import { PATH, type UncertainView } from './uncertain-list.tsx'
import { decidePage, uncertainPage } from './uncertain-page.tsx'
import { setAsidePage, USUAL, waitingPage } from './waiting.tsx'
import { noSuchMessage, pathOf, ROWS } from './words.tsx'

/** Messages of a file that are read at a time. */
const IN_FILE = 500
/** In bytes. A list of twenty thousand messages. */
const LARGEST_LIST = 1_100_000
/** A list that was uploaded comes back in a form, where some of its characters take three bytes. */
const CHECK = { ...ACT, largest: LARGEST_LIST } as const
const SETTLE = { ...PROVEN, largest: 3 * LARGEST_LIST } as const

/** Messages of all customers: found, followed, and what operators do about them. */
export function mountMessages(pages: Pages, parts: DeskParts): void {
  const { database, clock, workOf, config } = parts
  const decisions = new Decisions(parts)

  const accountsOf = (rows: readonly { accountId: string | undefined }[]) =>
    database.read((tx) => accountsWith(tx, [...new Set(rows.flatMap(({ accountId }) => accountId ?? []))]))

  pages.show('/messages', LOOK, async ({ c, acting }) => {
    const q = (c.req.query('q') ?? '').trim().slice(0, LONGEST_SEARCH)
    const account = (c.req.query('account') ?? '').trim()
    const of = await accountNamed(account)
    const after = placeIn(c.req.query('after'))
    const isAsked = (q !== '' || of !== undefined) && (account === '' || of !== undefined)
    const found = isAsked ? await find(q === '' ? {} : queryFor(q)) : undefined
    async function find(asked: MessageQuery | undefined): Promise<FoundPage> {
      if (!asked) return { messages: [], next: undefined }
      return workOf(acting).messages.find(asked, of?.id, { limit: ROWS, after })
    }
    const accounts = await accountsOf(found?.messages ?? [])
    return listPage({ q, account, of, found, accounts, isFirst: !after, now: clock.now() })
  })

  async function accountNamed(name: string): Promise<AccountRow | undefined> {
    return name === '' ? undefined : database.read((tx) => findAccount(tx, name))
  }

  pages.show('/messages/waiting', LOOK, async ({ c, acting }) => {
    const before = (c.req.query('before') ?? USUAL).trim()
    const since = readSince(before)
    const [from, ticket] = [c.req.query('since') ?? '', c.req.query('after') ?? '']
    const after = /^\d{1,15}$/.test(from) && isTicket(ticket) ? { since: Number(from), ticket } : undefined
    const now = clock.now()
    const messages = since ? await workOf(acting).carriers.stuck(since(now), ROWS + 1, after) : []
    const accounts = await accountsOf(messages)
    return waitingPage({ messages, accounts, before, isWrong: !since, isFirst: !after, now })
  })

  pages.show('/messages/set-aside', LOOK, async ({ c, acting }) => {
    const after = ticketIn(c.req.query('after'))
    const jobs = await workOf(acting).carriers.setAside(ROWS + 1, after)
    return setAsidePage(jobs, { accounts: await accountsOf(jobs), isFirst: !after, now: clock.now() })
  })

  pages.show('/messages/callbacks', LOOK, async (visit) => dead(visit))
  const dead = async (visit: Visit, done?: { replayed: number; skipped: number }) => {
    const before = ticketIn(visit.c.req.query('before'))
    const callbacks = await workOf(visit.acting).callbacks.dead(ROWS + 1, before)
    const accounts = await accountsOf(callbacks)
    return deadPage(visit, { callbacks, accounts, isFirst: !before, now: clock.now(), done })
  }
  pages.show('/messages/callbacks/replay', ACT, async (visit) =>
    replayPage(visit, await workOf(visit.acting).callbacks.sumDead(MOST_COUNTED)),
  )
  pages.change('/messages/callbacks/replay', PROVEN, async (visit) => {
    const { callbacks } = workOf(visit.acting)
    const accounts = await callbacks.replay(undefined, { since: undefined, state: 'dead' })
    const done = { replayed: 0, skipped: 0 }
    for (const { replayed, skipped } of accounts) {
      done.replayed += replayed
      done.skipped += skipped
    }
    return dead(visit, done)
  })

  const uncertain = async (visit: Visit, wrong?: UncertainView['wrong']): Promise<Page> => {
    const { c, acting } = visit
    const { carriers } = workOf(acting)
    const carrier = c.req.query('carrier') ?? ''
    const after = ticketIn(c.req.query('after'))
    const which = { carrier: carrier === '' || carrier.includes('\0') ? undefined : carrier, after }
    const { messages } = await carriers.uncertain(ROWS + 1, which)
    const receipts = await carriers.receiptsFor(messages.slice(0, ROWS))
    const sums = await carriers.uncertainSums({})
    const run = decisions.of(c.req.query('run') ?? '')
    return uncertainPage(visit, {
      messages,
      receipts,
      sums,
      carrier,
      run,
      wrong,
      isFirst: !after,
      now: clock.now(),
      accounts: await accountsOf(messages),
    })
  }
  pages.show(PATH, LOOK, (visit) => uncertain(visit))
  pages.file(`${PATH}/file.csv`, LOOK, async ({ c, acting }) => {
    const { carriers } = workOf(acting)
    const name = c.req.query('carrier') ?? ''
    const carrier = name === '' || name.includes('\0') ? undefined : name
    return csvReply({
      name: 'uncertain.csv',
      head: UNCERTAIN_COLUMNS,
      async read(after): Promise<Rows<UncertainMessage>> {
        const { messages } = await carriers.uncertain(IN_FILE, { carrier, after })
        return { items: messages, next: messages.length === IN_FILE ? messages.at(-1)?.ticket : undefined }
      },
      line: uncertainCells,
    })
  })
  /** Decides nothing: says what the next press would. */
  pages.change(`${PATH}/check`, CHECK, (visit, form) => check(visit, form))
  const check = async (visit: Visit, form: URLSearchParams): Promise<Page> => {
    const planned = await planOf(form, workOf(visit.acting).carriers, clock.now())
    if ('wrong' in planned) return uncertain(visit, { text: planned.wrong, mistakes: planned.mistakes })
    return decidePage(visit, planned.plan, fromMessage(form) ?? PATH)
  }
  pages.change(`${PATH}/settle`, SETTLE, async (visit, form) => {
    const read = readFields(form, { reason: enteredReasonOrNone })
    const reason = 'values' in read ? read.values.reason : undefined
    const { carriers } = workOf({ ...visit.acting, reason })
    const planned = await planOf(form, carriers, clock.now())
    if ('wrong' in planned) return uncertain(visit, { text: planned.wrong, mistakes: planned.mistakes })
    const { plan } = planned
    const message = fromMessage(form)
    if ('problems' in read)
      return decidePage(visit, plan, message ?? PATH, {
        typed: form.get('reason') ?? '',
        problem: read.problems.reason,
      })
    const run = await decisions.begin(plan.total, plan.settle)
    if (message === undefined) return goTo(`${PATH}?run=${run}`)
    return goTo(`${message}?done=${decisions.of(run)?.result?.settled === 1 ? 'decided' : 'left'}`)
  })

  const show = async (visit: Visit, text: boolean, done?: string): Promise<Page | Response> => {
    const ticket = ticketIn(visit.c.req.param('id'))
    const followed = ticket && (await workOf(visit.acting).messages.show(ticket, { text }))
    if (!followed) return noSuchMessage()
    const { message } = followed
    const account = (await accountsOf([message])).get(message.accountId)
    const routed = routedHere(config, message, followed)
    return messagePage(visit, { followed, account, routed, now: clock.now(), done })
  }
  pages.show('/messages/:id', LOOK, (visit) => show(visit, false, DONE[visit.c.req.query('done') ?? '']))
  pages.change('/messages/:id/text', LOOK, (visit) => show(visit, true))
  pages.change('/messages/:id/callback', ACT, async (visit, form) => {
    const ticket = ticketIn(visit.c.req.param('id'))
    if (ticket === undefined) return noSuchMessage()
    const seen = Number(form.get('seen') ?? '')
    const { replayed, skipped } = await workOf(visit.acting).callbacks.replayOf(ticket, seen)
    return goTo(pathOf(ticket, `?done=${replayed > 0 ? 'posted' : skipped > 0 ? 'spent' : 'posted-before'}`))
  })
}

const DONE: Readonly<Record<string, string | undefined>> = {
  decided: 'It is decided, and its customer is told.',
  left: 'It was not uncertain any more, so nothing was changed.',
  posted: 'Its callback is posted again, within seconds.',
  'posted-before': 'Its callback was posted meanwhile, or is about to be. Nothing was changed.',
  spent: `Its callback was posted again ${MOST_REPLAYS} times today already. Nothing was changed.`,
}

/** Reads a ticket, or an id of the same form. Both are stored in lower case. */
function ticketIn(text: string | undefined): string | undefined {
  const lower = text?.toLowerCase()
  return lower !== undefined && isTicket(lower) ? lower : undefined
}

/** The page of the one message that a form was sent from. */
function fromMessage(form: URLSearchParams): string | undefined {
  const ticket = ticketIn(form.get('ticket') ?? undefined)
  return form.get('from') === 'message' && ticket !== undefined ? pathOf(ticket) : undefined
}
