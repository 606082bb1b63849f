import { counted } from '@wigwag/contract'
import type { EpochMs } from '../../domain/ids.ts'
import type { ListedOperator, OperatorSession } from '../../operators/index.ts'
import { listTime } from '../../pages/times.ts'
import { type FormTicket, field } from '../../platform/pages/forms.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'

export interface ListView {
  listed: readonly ListedOperator[]
  /** Who looks. */
  me: OperatorSession
  form: FormTicket
  now: EpochMs
  /** What is wrong about the name of a new one. */
  problem?: { name: string; error: string } | undefined
}

const ROLES = { look: 'looks', act: 'acts' }

export function listPage(view: ListView): Page {
  const { me, problem } = view
  return {
    title: 'Operators',
    place: 'operators',
    middle: true,
    status: problem ? 422 : 200,
    body: markup`<div class="head"><h1>Operators</h1></div>
${list(view)}
${me.role === 'act' ? addForm(view) : markup`<p class="soft">You may look. Operators who act add others and end them.</p>`}`,
  }
}

function list({ listed, me, now }: ListView): Markup {
  const rows = listed.map(({ name, role, createdAt, endedAt, factors }) => {
    const isOver = endedAt > 0
    const end =
      me.role === 'act' &&
      !isOver &&
      markup`<a href="/operators/end?name=${encodeURIComponent(name)}">End<span class="unseen"> ${name}</span></a>`
    return markup`<tr><th scope="row" class="plain"><bdi>${name}</bdi>${!isOver && name === me.name && markup` <span class="soft">(you)</span>`}</th><td>${ROLES[role]}</td><td>${isOver ? markup`ended ${listTime(endedAt, now)}` : markup`since ${listTime(createdAt, now)}`}</td><td>${isOver ? '–' : factorsOf(factors)}</td><td class="num">${end}</td></tr>`
  })
  return markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Operators"><table><caption class="unseen">Operators</caption><thead><tr><th scope="col">Name</th><th scope="col">Role</th><th scope="col">When</th><th scope="col">Signs in with</th><th scope="col"><span class="unseen">End</span></th></tr></thead><tbody>${rows}</tbody></table></section>`
}

function factorsOf({ passkeys, hasGenerator, recoveryCodes }: ListedOperator['factors']): string {
  if (passkeys === 0 && !hasGenerator) return 'nothing yet'
  const main = passkeys > 0 ? (passkeys === 1 ? 'a passkey' : `${passkeys} passkeys`) : 'a code generator'
  return `${main}, ${counted(recoveryCodes, 'recovery code')} left`
}

function addForm({ form, problem }: ListView): Markup {
  return markup`<section class="sheet narrow"><h2>Add an operator</h2>
<p>You get a link for them, good once and for an hour. With it they make a passkey; nobody has a password here.</p>
<form method="post" action="/operators/add">${ticketField(form)}
${field({ id: 'name', label: 'Name', hint: 'The audit log says it with everything they do.', error: problem?.error }, (ties) => markup`<input class="box" ${ties} name="name" value="${problem?.name ?? ''}" autocomplete="off" required>`)}
<fieldset class="plain-set"><legend class="label">Role</legend><label class="choice"><input type="radio" name="role" value="look" checked><span>Looks: sees everything, changes nothing</span></label><label class="choice"><input type="radio" name="role" value="act"><span>Acts: changes everything</span></label></fieldset>
<p><button>Make the link</button></p></form></section>`
}

export function linkPage({ name, role }: { name: string; role: ListedOperator['role'] }, link: string): Page {
  return {
    title: 'The link',
    place: 'operators',
    middle: true,
    body: markup`<div class="head"><h1>The link for <bdi>${name}</bdi></h1></div>
<section class="sheet"><p><bdi>${name}</bdi> ${ROLES[role]}. Give them this link, and nobody else: it lets in who opens it first, once, within an hour. It is shown now and never again.</p>
<div class="code wrap"><pre id="link">${link}</pre><button class="second tiny" type="button" data-copy="link" hidden>Copy</button></div>
<p><a class="button second" href="/operators">Back to the operators</a></p></section>`,
  }
}

export function confirmEndPage({ name, factors }: ListedOperator, { form, operator }: Visit): Page {
  const isMe = name === operator.name
  return {
    title: 'End an operator',
    place: 'operators',
    middle: true,
    body: markup`<div class="head"><h1>End <bdi>${name}</bdi>?</h1></div>
<section class="sheet narrow"><p>${isMe ? 'You are signed out now' : 'They are signed out now'}, everywhere, and ${counted(factors.passkeys, 'passkey')}${factors.hasGenerator && ', the code generator'} and ${counted(factors.recoveryCodes, 'recovery code')} are deleted. The audit log keeps what ${isMe ? 'you' : 'they'} did. The name can be added again.</p>
${isMe && markup`<div class="note warn"><p>This is you. Somebody else has to let you in again, or wigwag operator add.</p></div>`}
<form method="post" action="/operators/end">${ticketField(form)}<input type="hidden" name="name" value="${name}"><p class="together"><button class="danger">End this operator</button><a href="/operators">Leave it</a></p></form></section>`,
  }
}
