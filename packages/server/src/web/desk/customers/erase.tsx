import type { AccountRow } from '../../../accounts/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { sentSince } from '../../../messages/index.ts'
import { field } from '../../../net/pages/forms.tsx'
import { goTo } from '../../../net/pages/reply.ts'
import type { WorkParts } from '../../../operate/operator-work.ts'
import {
  type EraseConsequences,
  type EraseOptions,
  eraseAccount,
  eraseConsequences,
} from '../../../operate/privacy/index.ts'
import { countOf } from '../../count.ts'
import { money } from '../../widgets/money.tsx'
import { ending, hiddenFields, type Problems } from '../frame/form.tsx'
import { overOrLate, type Pages } from '../frame/pages.ts'
import { ACT, type Page, PROVEN, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { erasedPage, onCustomer } from './one-customer.tsx'
import { pathOf, some, stateOf } from './words.tsx'

/** Erasing a customer, after its consequences were shown. */
export function mountErase(pages: Pages, parts: DeskParts): void {
  const { database, clock, workOf } = parts
  const erasures = new Erasures(parts)

  const erase = async (account: AccountRow, visit: Visit, problems?: Problems, typed?: string) => {
    const { consequences, sent } = await database.read(async (tx) => {
      const found = await eraseConsequences(tx, account.id)
      const totals = await sentSince(
        tx,
        found.wallets.map(({ id }) => id),
        0,
      )
      return { consequences: found, sent: [...totals.values()].reduce((sum, one) => sum + one, 0) }
    })
    const running = erasures.of(account.id)
    if (running && !problems) return erasedPage(account, consequences, running.failure)
    return erasePage(visit, {
      account,
      consequences,
      sent,
      now: clock.now(),
      ...(problems && { problems }),
      ...(typed !== undefined && { typed }),
    })
  }
  pages.show(
    '/customers/:id/erase',
    ACT,
    onCustomer(parts, (account, visit) => erase(account, visit)),
  )
  pages.change(
    '/customers/:id/erase',
    PROVEN,
    onCustomer(parts, async (account, visit, form: URLSearchParams) => {
      const name = form.get('name') ?? ''
      const { open, wallets } = await database.read((tx) => eraseConsequences(tx, account.id))
      const options = {
        despiteBalance: form.get('despiteBalance') === 'yes',
        despiteOpen: form.get('despiteOpen') === 'yes',
      }
      const problems = {
        ...(name.trim() !== account.name && { name: `Expected ${account.name}, as it is written here.` }),
        ...(wallets.some(({ posted }) => posted > 0) &&
          !options.despiteBalance && { despiteBalance: 'Expected a mark here, because money is left.' }),
        ...(open > 0 &&
          !options.despiteOpen && { despiteOpen: 'Expected a mark here, because messages are open.' }),
      }
      if (account.status === 'active' || Object.keys(problems).length > 0)
        return erase(account, visit, account.status === 'active' ? undefined : problems, name)
      await erasures.begin(workOf(visit.acting), account.id, options)
      return goTo(pathOf(account, '/erase'))
    }),
  )
}

/** The erasures of this process: one of many messages takes longer than a browser waits. */
class Erasures {
  readonly #clock: DeskParts['clock']
  readonly #onFault: DeskParts['onFault']
  readonly #all = new Map<string, { failure: string | undefined; over: Promise<void> }>()

  constructor({ clock, onFault }: Pick<DeskParts, 'clock' | 'onFault'>) {
    this.#clock = clock
    this.#onFault = onFault
  }

  /** Begins one, unless it is running. Resolves when it is over, or after a while. */
  async begin(work: WorkParts, accountId: string, options: EraseOptions): Promise<void> {
    const before = this.#all.get(accountId)
    const running = before && before.failure === undefined ? before : this.#start(work, accountId, options)
    await overOrLate(running.over, this.#clock)
  }

  /** An erasure that runs, or that failed. A failure is returned once. */
  of(accountId: string): { failure: string | undefined } | undefined {
    const running = this.#all.get(accountId)
    if (running?.failure !== undefined) this.#all.delete(accountId)
    return running
  }

  #start(work: WorkParts, accountId: string, options: EraseOptions) {
    const running = { failure: undefined as string | undefined, over: Promise.resolve() }
    running.over = eraseAccount(work, accountId, options).then(
      () => void this.#all.delete(accountId),
      (error: unknown) => {
        running.failure =
          'It was broken off, and may be begun again: what is deleted stays deleted. The log says why.'
        this.#onFault(error)
      },
    )
    this.#all.set(accountId, running)
    return running
  }
}

interface EraseView {
  account: AccountRow
  consequences: EraseConsequences
  /** How many messages it ever sent. */
  sent: number
  problems?: Problems
  typed?: string
  now: EpochMs
}

/** Says in words and numbers what is deleted, before it is. */
function erasePage({ form }: Visit, view: EraseView): Page {
  const { account, consequences, sent, problems = {}, typed = '', now } = view
  const { messages, open, callbacks, wallets } = consequences
  const left = wallets.filter(({ posted }) => posted > 0)
  const amounts = left.map((wallet) => money(wallet.posted, wallet.currency)).join(' and ')
  const consent = (name: string, text: string) => (
    <div class="field">
      <label class="choice">
        <input
          type="checkbox"
          name={name}
          value="yes"
          {...(problems[name] !== undefined
            ? { 'aria-invalid': 'true', 'aria-describedby': `${name}-error` }
            : {})}
        />
        <span>{text}</span>
      </label>
      {problems[name] !== undefined && (
        <span class="wrong" id={`${name}-error`}>
          {problems[name]}
        </span>
      )}
    </div>
  )
  return {
    title: 'Erase',
    place: 'customers',
    middle: true,
    status: Object.keys(problems).length > 0 ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>
            Erase <bdi>{account.name}</bdi>?
          </h1>
          {stateOf(account, now)}
        </div>
        <section class="sheet">
          <p class="strong">This can’t be undone.</p>
          <ul class="bullets">
            <li>
              {messages === 0 ? (
                'It has no messages'
              ) : (
                <>
                  {some(messages, 'message')} and everything about {messages === 1 ? 'it is' : 'them are'}{' '}
                  deleted
                </>
              )}
              {sent > messages && `; it sent ${countOf(sent)} in all`}.
            </li>
            <li>
              {open === 0 ? (
                'No message is scheduled or under way.'
              ) : (
                <>
                  Of these, {some(open, 'is', 'are')} scheduled or under way: they are not sent any more, and
                  what is held for them is released. One that a carrier has taken may still arrive.
                </>
              )}
            </li>
            <li>
              {callbacks === 0 ? (
                'No callback waits to be posted.'
              ) : (
                <>
                  {some(callbacks, 'callback')} that {callbacks === 1 ? 'waits' : 'wait'} to be posted never{' '}
                  {callbacks === 1 ? 'is' : 'are'}.
                </>
              )}
            </li>
            <li>
              {left.length === 0 ? (
                'No money is left.'
              ) : (
                <>
                  {amounts} are left. They stay in the books and can no longer be spent: pay them back
                  elsewhere.
                </>
              )}
            </li>
            <li>
              Its name, e-mail and password, keys, sender IDs, sessions and connections are deleted, and the
              details of its audit entries. Its wallet, ledger and totals stay.
            </li>
          </ul>
          {account.status === 'active' ? (
            <div class="note warn">
              <p>
                Only a suspended customer can be erased.{' '}
                <a href={pathOf(account, '/standing')}>Suspend it first</a>, and let what is under way end.
              </p>
            </div>
          ) : (
            <form method="post" action={pathOf(account, '/erase')}>
              {hiddenFields(form, {})}
              {left.length > 0 && consent('despiteBalance', `Erase it although ${amounts} are left`)}
              {open > 0 &&
                consent(
                  'despiteOpen',
                  `Erase it although ${some(open, 'message is', 'messages are')} scheduled or under way`,
                )}
              <div class="narrow">
                {field(
                  {
                    id: 'name',
                    label: 'Its name',
                    hint: `Type ${account.name} to confirm`,
                    error: problems.name,
                  },
                  (ties) => (
                    <input
                      class="box"
                      {...ties}
                      name="name"
                      value={typed}
                      autocomplete="off"
                      spellcheck={false}
                      required
                    />
                  ),
                )}
              </div>
              {ending(<button class="danger">Erase this customer</button>, pathOf(account))}
            </form>
          )}
        </section>
      </>
    ),
  }
}
