import type { EpochMs } from '../../domain/ids.ts'
import type { Factors } from '../../factors/index.ts'
import { dayAndTime, listTime } from '../../pages/times.ts'
import { passkeyForm } from '../../pages/widgets/passkey-form.ts'
import type { Membership } from '../../people/index.ts'
import { type FormTicket, field } from '../../platform/pages/forms.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { LONGEST_PASSWORD, type OwnSession, type Person, SHORTEST_PASSWORD } from '../../portal/index.ts'
import { browserName } from './browser-name.ts'

export interface YouView {
  person: Person
  form: FormTicket
  factors: Factors
  sessions: readonly OwnSession[]
  accounts: readonly Membership[]
  now: EpochMs
  /** Whether browsers offer passkeys here. */
  passkeys: boolean
  done: string | undefined
  wrong: string | undefined
  /** The form to show again. */
  again: 'password' | undefined
}

const DONE: Readonly<Record<string, string>> = {
  added: 'You can sign in with it from now on.',
  removed: 'It is removed, and your other sessions are over.',
  named: 'It has its new name.',
  password: 'Your password is changed, and your other sessions are over.',
  ended: 'That session is over.',
  others: 'All your other sessions are over.',
}

/** What a person signs in with, and where they are signed in. */
export function youPage(view: YouView): Markup {
  const { person, done, wrong } = view
  const said = done === undefined ? undefined : DONE[done]
  return markup`<div class="head"><h1>Your sign-in</h1><span class="soft"><bdi>${person.email}</bdi></span></div>
${said !== undefined && markup`<div class="note good" role="status"><p>${said}</p></div>`}
${wrong !== undefined && markup`<div class="note bad" role="alert"><p>${wrong}</p></div>`}
${accountsPart(view)}
${passkeysPart(view)}
${generatorPart(view)}
${recoveryPart(view)}
${passwordPart(view)}
${sessionsPart(view)}`
}

function accountsPart({ accounts, person }: YouView): Markup {
  if (accounts.length < 2) return markup``
  return markup`<section class="sheet"><h2>Accounts</h2><p>You are in ${accounts.length} accounts. Open now: <strong><bdi>${person.name}</bdi></strong>.</p><p><a class="button second" href="/accounts">Open another</a></p></section>`
}

function passkeysPart({ form, factors, now, passkeys }: YouView): Markup {
  return markup`<section class="sheet" id="passkeys"><h2>Passkeys</h2>
<p class="soft">One tap on the device, in place of a password. Make one on each device that you use.</p>
${
  factors.passkeys.length > 0 &&
  markup`<ul class="things">${factors.passkeys.map(
    ({ id, name, createdAt, usedAt }) =>
      markup`<li><div><strong><bdi>${name || 'Passkey'}</bdi></strong><br><span class="soft small">made ${listTime(createdAt, now)}, ${usedAt === 0 ? 'never used' : markup`last used ${listTime(usedAt, now)}`}</span></div>
<details class="end"><summary>Change<span class="unseen"> ${name || 'the passkey'}</span></summary>
<form method="post" action="/you/passkeys/name" class="together">${ticketField(form)}<input type="hidden" name="id" value="${id}"><label class="unseen" for="n-${id}">Name</label><input class="box short" id="n-${id}" name="name" value="${name}" maxlength="40"><button class="second tiny">Name it</button></form>
<form method="post" action="/you/passkeys/remove">${ticketField(form)}<input type="hidden" name="id" value="${id}"><button class="danger tiny">Remove it</button></form></details></li>`,
  )}</ul>`
}
${
  passkeys
    ? passkeyForm({
        ...{
          action: '/you/passkeys',
          options: '/passkey/add',
          kind: 'create',
          button: 'Make a passkey',
          look: '',
        },
        hidden: markup`${ticketField(form)}${field({ id: 'name', label: 'Name of the device' }, (ties) => markup`<input class="box short" ${ties} name="name" maxlength="40" placeholder="Work laptop">`)}`,
      })
    : markup`<p class="note">Browsers offer passkeys over https or at localhost only, and this address is neither.</p>`
}</section>`
}

function generatorPart({ form, factors: { generatorSince } }: YouView): Markup {
  return markup`<section class="sheet"><h2>Code generator</h2>
${
  generatorSince === undefined
    ? markup`<p>An app that makes six digits every half minute, asked for after your password.</p><p><a class="button second" href="/you/generator">Set one up</a></p>`
    : markup`<p>Set up ${dayAndTime(generatorSince)} UTC. Its code is asked for after your password.</p>
<form method="post" action="/you/generator/remove">${ticketField(form)}<p class="together"><a class="button second" href="/you/generator">Set up another in its place</a><button class="danger">Remove it</button></p></form>`
}</section>`
}

function recoveryPart({ form, factors }: YouView): Markup {
  const { recoveryCodes, passkeys, generatorSince } = factors
  if (passkeys.length === 0 && generatorSince === undefined) return markup``
  return markup`<section class="sheet"><h2>Recovery codes</h2>
<p>${recoveryCodes === 0 ? 'None are left.' : `${recoveryCodes} of 10 are left.`} Each lets you in once, in place of a passkey or code.</p>
<form method="post" action="/you/recovery">${ticketField(form)}<p><button class="second">Make ten new ones</button> <span class="soft small">The old ones stop working.</span></p></form></section>`
}

function passwordPart({ form, again }: YouView): Markup {
  return markup`<section class="sheet"><h2>Password</h2><details${again === 'password' && markup` open`}><summary>Change it</summary>
<form method="post" action="/you/password">${ticketField(form)}
${field(
  { id: 'new', label: 'New password', hint: `At least ${SHORTEST_PASSWORD} characters.` },
  (ties) =>
    markup`<input class="box" ${ties} type="password" name="new_password" autocomplete="new-password" minlength="${SHORTEST_PASSWORD}" maxlength="${LONGEST_PASSWORD}" required>`,
)}
<label class="on-off"><input type="checkbox" name="keep" value="assistants"><span>Leave my assistants connected</span></label>
<p><button>Change it</button> <span class="soft small">Your other sessions end, and your assistants unless you leave them connected.</span></p></form></details></section>`
}

const PROOFS: Readonly<Record<OwnSession['proof'], string>> = {
  password: 'password',
  passkey: 'passkey',
  code: 'password and code',
  'recovery code': 'password and recovery code',
  link: 'link',
  sandbox: 'one press',
}

function sessionsPart({ form, sessions, now }: YouView): Markup {
  return markup`<section class="sheet" id="sessions"><h2>Where you are signed in</h2>
<ul class="things">${sessions.map(
    ({ id, proof, address, browser, name, createdAt, usedAt, isThis }) =>
      markup`<li><div><strong>${browserName(browser)}</strong>${isThis && markup` <span class="soft">this one</span>`}<br><span class="soft small"><bdi>${address}</bdi> · by ${PROOFS[proof]} · in <bdi>${name}</bdi> · since ${listTime(createdAt, now)}, last used ${listTime(usedAt, now)}</span></div>
${!isThis && markup`<form method="post" action="/you/sessions/end" class="end">${ticketField(form)}<input type="hidden" name="id" value="${id}"><button class="second tiny">End it<span class="unseen">: ${browserName(browser)} at ${address}</span></button></form>`}</li>`,
  )}</ul>
${sessions.length > 1 && markup`<form method="post" action="/you/sessions/others">${ticketField(form)}<p><button class="second">End all the others</button></p></form>`}</section>`
}
