import { type AccountRow, isErased } from '../../accounts/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { available } from '../../domain/money/ledger.ts'
import { countOf } from '../../pages/count.ts'
import { field } from '../../platform/pages/forms.ts'
import { markup } from '../../platform/pages/markup.ts'
import type { EraseConsequences } from '../../privacy/index.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { Problems } from '../widgets/fields.ts'
import { ending, hiddenFields } from '../widgets/form.ts'
import { money } from '../widgets/money.ts'
import { pathOf, some, stateOf } from './words.ts'

/** Suspends or restores, after saying what that does. */
export function standingPage({ form }: Visit, account: AccountRow, open: number, problem?: string): Page {
  const isActive = account.status === 'active'
  const [verb, to] = isActive ? (['Suspend', 'suspended'] as const) : (['Restore', 'active'] as const)
  return {
    title: verb,
    place: 'customers',
    middle: true,
    status: problem === undefined ? 200 : 422,
    body: markup`<div class="head"><h1>${verb} <bdi>${account.name}</bdi>?</h1></div>
<section class="sheet narrow"><p>${
      isActive
        ? markup`From now on every request of its programs, its assistants and its people is refused, by every gateway. ${some(open, 'message that is', 'messages that are')} scheduled or under way ${open === 1 ? 'goes' : 'go'} on to the end. It can be restored at any time.`
        : 'Its programs, its assistants and its people can do again what they could before.'
    }</p>
<form method="post" action="${pathOf(account, '/standing')}">${hiddenFields(form, { to })}
${field({ id: 'reason', label: 'Reason', hint: 'For the audit log; may be empty', error: problem }, (ties) => markup`<input class="box" ${ties} name="reason" maxlength="500" autocomplete="off">`)}
${ending(isActive ? markup`<button class="danger">Suspend this customer</button>` : markup`<button>Restore this customer</button>`, pathOf(account))}</form></section>`,
  }
}

export interface EraseView {
  account: AccountRow
  consequences: EraseConsequences
  /** How many messages it ever sent. */
  sent: number
  problems?: Problems
  typed?: string
  now: EpochMs
}

/** Says in words and numbers what is deleted, before it is. */
export function erasePage({ form }: Visit, view: EraseView): Page {
  const { account, consequences, sent, problems = {}, typed = '', now } = view
  const { messages, open, callbacks, wallets } = consequences
  const left = wallets.filter(({ posted }) => posted > 0)
  const amounts = left.map((wallet) => money(wallet.posted, wallet.currency)).join(' and ')
  const consent = (name: string, text: string) =>
    markup`<div class="field"><label class="choice"><input type="checkbox" name="${name}" value="yes"${problems[name] !== undefined && markup` aria-invalid="true" aria-describedby="${name}-error"`}><span>${text}</span></label>${problems[name] !== undefined && markup`<span class="wrong" id="${name}-error">${problems[name]}</span>`}</div>`
  return {
    title: 'Erase',
    place: 'customers',
    middle: true,
    status: Object.keys(problems).length > 0 ? 422 : 200,
    body: markup`<div class="head"><h1>Erase <bdi>${account.name}</bdi>?</h1>${stateOf(account, now)}</div>
<section class="sheet"><p class="strong">This can’t be undone.</p>
<ul class="bullets"><li>${messages === 0 ? 'It has no messages' : `${some(messages, 'message')} and everything about ${messages === 1 ? 'it is' : 'them are'} deleted`}${sent > messages && `; it sent ${countOf(sent)} in all`}.</li>
<li>${open === 0 ? 'No message is scheduled or under way.' : `Of these, ${some(open, 'is', 'are')} scheduled or under way: they are not sent any more, and what is held for them is given back. One that a carrier has taken may still arrive.`}</li>
<li>${callbacks === 0 ? 'No callback waits to be posted.' : `${some(callbacks, 'callback')} that ${callbacks === 1 ? 'waits' : 'wait'} to be posted never ${callbacks === 1 ? 'is' : 'are'}.`}</li>
<li>${left.length === 0 ? 'No money is left.' : `${amounts} are left. They stay in the books and can no longer be spent: pay them back elsewhere.`}</li>
<li>Its name, e-mail and password, keys, sender IDs, sessions and connections are deleted, and the details of its audit entries. Its wallet, ledger and totals stay.</li></ul>
${
  account.status === 'active'
    ? markup`<div class="note warn"><p>Only a suspended customer can be erased. <a href="${pathOf(account, '/standing')}">Suspend it first</a>, and let what is under way end.</p></div>`
    : markup`<form method="post" action="${pathOf(account, '/erase')}">${hiddenFields(form, {})}
${left.length > 0 && consent('despiteBalance', `Erase it although ${amounts} are left`)}
${open > 0 && consent('despiteOpen', `Erase it although ${some(open, 'message is', 'messages are')} scheduled or under way`)}
<div class="narrow">${field({ id: 'name', label: 'Its name', hint: `Type ${account.name} to confirm`, error: problems.name }, (ties) => markup`<input class="box" ${ties} name="name" value="${typed}" autocomplete="off" spellcheck="false" required>`)}</div>
${ending(markup`<button class="danger">Erase this customer</button>`, pathOf(account))}</form>`
}</section>`,
  }
}

/** While it is erased, and after. */
export function erasedPage(account: AccountRow, consequences: EraseConsequences, failure?: string): Page {
  const isDone = isErased(account)
  const wallets = consequences.wallets.map(
    (wallet) => markup`<div><dt>In the books</dt><dd>${money(available(wallet), wallet.currency)}</dd></div>`,
  )
  return {
    title: isDone ? 'Erased' : 'Erasing',
    place: 'customers',
    middle: true,
    status: failure === undefined ? 200 : 409,
    ...(!isDone && failure === undefined && { headers: { refresh: '3' } }),
    body: markup`<div class="head"><h1>${isDone ? 'This customer is erased' : failure === undefined ? 'It is being erased' : 'It was not erased'}</h1></div>
<section class="sheet"><p>${
      isDone
        ? 'Its messages, its keys and who it belongs to are deleted. Its ledger, its totals and the ids in its audit entries stay.'
        : (failure ??
          `${some(consequences.messages, 'message')} are left to be deleted. This page looks again every three seconds; you may close it.`)
    }</p>${isDone && markup`<dl class="facts"><div><dt>Account ID</dt><dd class="mono">${account.id}</dd></div>${wallets}</dl>`}
<p><a href="/customers">All customers</a></p></section>`,
  }
}
