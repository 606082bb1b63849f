import type { ToolProgram } from '../../../accounts/index.ts'
import type { Right } from '../../../accounts/people/index.ts'
import {
  type ConnectionView,
  type ConnectSnippet,
  clientName,
  connectSnippets,
  LONGEST_ADDRESS,
  limitValues,
  readLimits,
  sharedLimits,
  theirWords,
} from '../../../assistants/index.ts'
import { type EpochMs, isTicket } from '../../../kernel/ids.ts'
import type { SharedLimit } from '../../../messages/sending/index.ts'
import { errorPage } from '../../../net/pages/error.tsx'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo, pageReply } from '../../../net/pages/reply.ts'
import { moment } from '../../../net/pages/times.tsx'
import type { Person } from '../../../sign-in/portal/index.ts'
import type { Pages } from '../frame/pages.tsx'
import type { Page, Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { type ActOn, connectionCard, type RefusedLimits } from './assistant-card.tsx'

const PATH = '/connections'

/** The pages on which people see their connected assistants, change limits and revoke access. */
export function mountAssistants(pages: Pages, parts: ConsoleParts): void {
  const { connections, publicUrl, clock } = parts

  pages.show(PATH, 'assistants', (visit) => list(visit))

  pages.change(`${PATH}/:id/limits`, { right: 'assistants that send', proven: true }, async (visit, form) => {
    const id = idOf(visit)
    if (id === undefined) return noSuchConnection()
    const read = readLimits(form)
    const values = limitValues(form)
    if ('errors' in read) return list(visit, { id, values, errors: read.errors })
    const changed = await connections.changeLimits(visit.person, id, read.limits)
    return changed ? goTo(`${PATH}?done=limits#c-${id}`) : noSuchConnection()
  })

  pages.change(`${PATH}/:id/revoke`, { right: 'assistants' }, async (visit) => {
    const id = idOf(visit)
    const revoked = id !== undefined && (await connections.revoke(visit.person, id))
    return revoked ? goTo(`${PATH}?done=revoked`) : noSuchConnection()
  })

  async function list({ c, person, may, form }: Visit, refused?: RefusedLimits): Promise<Page | Response> {
    const all = await connections.list(person.accountId)
    const isThere = all.some(({ id, endedAt }) => id === refused?.id && endedAt === undefined)
    if (refused && !isThere) return noSuchConnection()
    const done = c.req.query('done')
    const connectTo = `${publicUrl()}/mcp`
    const page = connectionsPage({
      person,
      form,
      connections: all,
      shared: await connections.shared(person),
      programs: await connections.programs(person.accountId),
      now: clock.now(),
      connectTo,
      snippets: await connectSnippets(connectTo),
      may,
      actOn: (id, what) => `${PATH}/${id}/${what}`,
      ...(refused ? { refused } : {}),
      ...(isDone(done) ? { done } : {}),
    })
    return { ...page, place: 'assistants', middle: true, status: refused ? 422 : 200 }
  }
}

function idOf({ c }: Visit): string | undefined {
  const id = c.req.param('id')
  return id !== undefined && isTicket(id) ? id : undefined
}

function noSuchConnection(): Response {
  const page = errorPage({
    title: 'There is no such connection',
    text: 'It has ended, or it is not one of your account. Nothing was done.',
    link: { href: '/connections', text: 'See what is connected' },
  })
  return pageReply(page, { status: 404 })
}

interface ConnectionsPageView {
  person: Pick<Person, 'personId' | 'name' | 'wallet'>
  may(right: Right): boolean
  form: FormTicket
  /** Active ones first. */
  connections: readonly ConnectionView[]
  /** Limits that the account's assistants, or the person's, have together. */
  shared: readonly SharedLimit[]
  /** Programs that use the tools with the account's API credentials. */
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
  /** The change that was just made. */
  done?: Done
}

const DONE = {
  limits: 'The new limits are in force.',
  revoked: 'The assistant has no access any more.',
} as const

type Done = keyof typeof DONE

function isDone(text: string | undefined): text is Done {
  return text !== undefined && Object.hasOwn(DONE, text)
}

/** Lists an account's assistants: what they may do and did today, with forms to change limits and revoke access. */
function connectionsPage(view: ConnectionsPageView): { title: string; body: Markup } {
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
  const body = (
    <>
      <div class="head">
        <h1>Assistants</h1>
      </div>
      <p class="soft">They act for the account of {person.name}. A day ends at midnight UTC.</p>
      {done && (
        <div class="note good" role="status">
          <p>{DONE[done]}</p>
        </div>
      )}
      {sharedLimits(view.shared, person.wallet.currency)}
      {living.length > 0 ? cards : nothingYet}
      {view.programs.length > 0 && withCredentials(view)}
      {howToConnect(view, living.length > 0)}
      {ended.length > 0 && endedOnes(ended, now)}
    </>
  )
  const title = refused ? 'Error: Assistants' : 'Assistants'
  return { title, body }
}

const nothingYet = (
  <section class="sheet">
    <h2>No assistant is connected</h2>
    <p>
      When you connect one, you see here what it may do and what it has spent, and you can end its access.
    </p>
  </section>
)

/** They have no connection to end: what lets them in is the secret. */
function withCredentials({ programs, now, may }: ConnectionsPageView): Markup {
  return (
    <section class="sheet">
      <h2>With API credentials</h2>
      <p class="soft">
        These clients call the same tools with their secret, without a sign-in, within limits that the
        operator sets. To shut one out,{' '}
        {may('build') ? <a href="/keys">replace its secret</a> : 'replace its secret'}.
      </p>
      <dl class="facts">
        {programs.map(({ clientId, lastUsedAt }) => (
          <div>
            <dt class="mono">{clientId}</dt>
            <dd>Last used {moment(lastUsedAt, now)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function howToConnect({ connectTo, snippets, may }: ConnectionsPageView, another: boolean): Markup {
  const links = snippets.map(({ client, link }) => (
    <>
      {link !== undefined && (
        <a class="button second" href={link}>
          Add to {client}
        </a>
      )}
    </>
  ))
  return (
    <section class="sheet">
      <h2>{another ? 'Connect another' : 'Connect one'}</h2>
      <ol class="steps">
        <li>
          In your assistant, add a connector (a remote MCP server) with this address:{' '}
          <code class="address">{connectTo}</code>
          <p class="together">{links}</p>
        </li>
        <li>It sends you here to sign in, and you choose what it may do.</li>
      </ol>
      {may('build') && (
        <p class="soft">
          <a href="/developers#assistants">What to type in Claude Code, Claude Desktop, Cursor and VS Code</a>
        </p>
      )}
    </section>
  )
}

function endedOnes(ended: readonly ConnectionView[], now: EpochMs): Markup {
  return (
    <section class="sheet">
      <h2>Ended in the last 30 days</h2>
      <ul class="ended">
        {ended.map(({ clientName: name, redirectHost, createdAt, endedAt }) => (
          <li>
            {clientName(name)}{' '}
            <span class="soft">
              <bdi>{theirWords(redirectHost, LONGEST_ADDRESS)}</bdi>
            </span>
            <br />
            <span class="soft small">
              Connected {moment(createdAt, now)}, ended {endedAt !== undefined && moment(endedAt, now)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
