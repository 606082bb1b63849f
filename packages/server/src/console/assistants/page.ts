import type { ToolProgram } from '../../accounts/index.ts'
import {
  type ConnectionView,
  type ConnectSnippet,
  clientName,
  LONGEST_ADDRESS,
  sharedLimits,
  theirWords,
} from '../../assistants/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import type { Right } from '../../people/index.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { moment } from '../../platform/pages/times.ts'
import type { Person } from '../../portal/index.ts'
import type { SharedLimit } from '../../sending/index.ts'
import { type ActOn, connectionCard, type RefusedLimits } from './card.ts'

export interface ConnectionsPageView {
  person: Pick<Person, 'personId' | 'name' | 'wallet'>
  may(right: Right): boolean
  form: FormTicket
  /** Active ones first. */
  connections: readonly ConnectionView[]
  /** What all of them, and all of the person's, may do together. */
  shared: readonly SharedLimit[]
  /** Those that use the tools with the account's API credentials. */
  programs: readonly ToolProgram[]
  now: EpochMs
  /** The address that people give an assistant to connect to. */
  connectTo: string
  /** How known clients are told of it. */
  snippets: readonly ConnectSnippet[]
  /** Where the forms of a connection are posted to. */
  actOn: ActOn
  /** Posted limits that were refused. */
  refused?: RefusedLimits
  /** What was just done. */
  done?: Done
}

const DONE = {
  limits: 'The new limits are in force.',
  revoked: 'The assistant has no access any more.',
} as const

type Done = keyof typeof DONE

export function isDone(text: string | undefined): text is Done {
  return text !== undefined && Object.hasOwn(DONE, text)
}

/** Lists an account's assistants: what they may do and did today, with forms to change limits and revoke access. */
export function connectionsPage(view: ConnectionsPageView): { title: string; body: Markup } {
  const { connections, now, form, person, done, refused } = view
  const living = connections.filter(({ endedAt }) => endedAt === undefined)
  const ended = connections.filter(({ endedAt }) => endedAt !== undefined)
  const cards = living.map((connection) =>
    connectionCard({
      connection,
      now,
      form,
      actOn: view.actOn,
      isMine: view.may('people') || connection.personId === person.personId,
      maySend: view.may('assistants that send'),
      refused: refused?.id === connection.id ? refused : undefined,
    }),
  )
  const body = markup`<div class="head"><h1>Assistants</h1></div>
<p class="soft">They act for the account of ${person.name}. A day ends at midnight UTC.</p>
${done && markup`<div class="note good" role="status"><p>${DONE[done]}</p></div>`}
${sharedLimits(view.shared, person.wallet.currency)}
${living.length > 0 ? cards : nothingYet}
${view.programs.length > 0 && withCredentials(view)}
${howToConnect(view, living.length > 0)}
${ended.length > 0 && endedOnes(ended, now)}`
  const title = refused ? 'Error: Assistants' : 'Assistants'
  return { title, body }
}

const nothingYet = markup`<section class="sheet">
<h2>No assistant is connected</h2>
<p>When you connect one, you see here what it may do and what it has spent, and you can end its access.</p>
</section>`

/** They have no connection to end: what lets them in is the secret. */
function withCredentials({ programs, now, may }: ConnectionsPageView): Markup {
  return markup`<section class="sheet">
<h2>With API credentials</h2>
<p class="soft">These clients call the same tools with their secret, without a sign-in, within limits that the operator sets. To shut one out, ${may('build') ? markup`<a href="/keys">replace its secret</a>` : 'replace its secret'}.</p>
<dl class="facts">${programs.map(
    ({ clientId, lastUsedAt }) =>
      markup`<div><dt class="mono">${clientId}</dt><dd>Last used ${moment(lastUsedAt, now)}</dd></div>`,
  )}</dl>
</section>`
}

function howToConnect({ connectTo, snippets, may }: ConnectionsPageView, another: boolean): Markup {
  const links = snippets.map(
    ({ client, link }) =>
      markup`${link !== undefined && markup`<a class="button second" href="${link}">Add to ${client}</a>`}`,
  )
  return markup`<section class="sheet">
<h2>${another ? 'Connect another' : 'Connect one'}</h2>
<ol class="steps">
<li>In your assistant, add a connector (a remote MCP server) with this address:
<code class="address">${connectTo}</code>
<p class="together">${links}</p></li>
<li>It sends you here to sign in, and you choose what it may do.</li>
</ol>
${may('build') && markup`<p class="soft"><a href="/developers#assistants">What to type in Claude Code, Claude Desktop, Cursor and VS Code</a></p>`}
</section>`
}

function endedOnes(ended: readonly ConnectionView[], now: EpochMs): Markup {
  return markup`<section class="sheet">
<h2>Ended in the last 30 days</h2>
<ul class="ended">
${ended.map(
  ({
    clientName: name,
    redirectHost,
    createdAt,
    endedAt,
  }) => markup`<li>${clientName(name)} <span class="soft"><bdi>${theirWords(redirectHost, LONGEST_ADDRESS)}</bdi></span><br>
<span class="soft small">Connected ${moment(createdAt, now)}, ended ${endedAt !== undefined && moment(endedAt, now)}</span></li>
`,
)}</ul>
</section>`
}
