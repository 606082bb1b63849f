import { type ConnectSnippet, connectSnippets } from '../../../assistants/index.ts'
import { TEST_NUMBERS } from '../../../kernel/phone/test-numbers.ts'
import { DAY_MS } from '../../../kernel/time/spans.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { PAGE_HEADERS } from '../../../net/pages/reply.ts'
import { codeBox, tabs } from '../../widgets/code.tsx'
import { statusMark } from '../../widgets/state.tsx'
import { tableHead, unseen } from '../../widgets/table.tsx'
import type { Pages } from '../frame/pages.tsx'
import type { Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import {
  approvedSender,
  commandLineSample,
  curlSample,
  isComplete,
  type SampleAccount,
  sampleAccount,
  typescriptSample,
} from '../widgets/samples.ts'
import { filterTerms } from './filters.tsx'
import { refusalsSheet } from './refusals.tsx'
import { LISTEN, postmanFile, RECEIVER, sendToListener, shellKeys } from './snippets.ts'

const PATH = '/developers'
const COLLECTION = 'wigwag.postman_collection.json'
const SAMPLE_SENDER = 'WIGWAG'

/** Keys, code, commands and files for developers to copy, with the account's own values in them. */
export function mountDevelopers(pages: Pages, parts: ConsoleParts): void {
  const { account, publicUrl, sandbox, clock } = parts

  async function valuesOf({ person, principal }: Visit) {
    const keys = await account.keys.list(principal)
    return {
      account: await sampleAccount(person, parts),
      clientId: keys.find(({ kind }) => kind === 'client')?.ownerId ?? 'YOUR_CLIENT_ID',
      from: approvedSender(principal) ?? SAMPLE_SENDER,
    }
  }

  pages.show(PATH, 'build', async (visit) => ({
    title: 'Developers',
    place: 'developers',
    middle: true,
    body: developersPage({
      ...(await valuesOf(visit)),
      snippets: await connectSnippets(new URL('/mcp', publicUrl()).href),
      collectionHref: `${PATH}/${COLLECTION}`,
      isSandbox: sandbox !== undefined,
      maySend: visit.may('send'),
      refused: refusalsSheet(
        await account.refusals.list(visit.principal.accountId, clock.now() - 7 * DAY_MS),
        clock.now(),
      ),
    }),
  }))

  pages.show(`${PATH}/${COLLECTION}`, 'build', async (visit) => {
    const headers = {
      ...PAGE_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${COLLECTION}"`,
    }
    return new Response(await postmanFile(await valuesOf(visit)), { headers })
  })
}

interface DevelopersView {
  account: SampleAccount
  clientId: string
  /** A sender ID that the account may send from, if it has one. */
  from: string
  snippets: readonly ConnectSnippet[]
  collectionHref: string
  isSandbox: boolean
  /** Whether the person may send from the console. */
  maySend: boolean
  refused: Markup
}

/** A number that the simulator delivers to, and the beginning of those that it does not. */
const SAMPLE_TO = '233241234567'
const TEST_PREFIX = '2332412'

function developersPage(view: DevelopersView): Markup {
  return (
    <>
      <div class="head">
        <h1>Developers</h1>
        <span class="soft">Filled in with this account’s values.</span>
        <span class="end">
          <a class="button second" href="/docs">
            API reference
          </a>
        </span>
      </div>
      {keysSheet(view)}
      {sendSheet(view)}
      {view.refused}
      {receiveSheet(view)}
      {assistantsSheet(view)}
      {view.isSandbox && numbersSheet(view)}
      {filterTerms()}
      {filesSheet(view)}
    </>
  )
}

function keysSheet({ account, clientId, from }: DevelopersView): Markup {
  return (
    <section class="sheet" id="keys">
      <h2>Keys, for your shell</h2>
      {codeBox('shell-keys', shellKeys(account, clientId, from))}
      <p class="soft small">
        {isComplete(account) ? (
          <>
            Secrets are shown because this is the demo account of a sandbox. Elsewhere they are shown once,
            when they are made: <a href="/keys">API keys</a>.
          </>
        ) : (
          <>
            Put your own secrets in. They were shown once, when they were made; if one is lost, make another:{' '}
            <a href="/keys">API keys</a>.
          </>
        )}
      </p>
    </section>
  )
}

function sendSheet({ account, from, collectionHref }: DevelopersView): Markup {
  const message = { from, to: SAMPLE_TO, text: 'Hello from Wigwag' }
  const filled = isComplete(account)
    ? 'Its variables are filled in with this account’s values.'
    : 'Its address and client ID are filled in. Put the client secret and the wallet token in yourself.'
  return (
    <section class="sheet" id="send">
      <h2>Send</h2>
      {tabs('send-with', 'Send with', [
        { name: 'curl', body: codeBox('send-curl', curlSample(account, message)) },
        { name: 'TypeScript', body: codeBox('send-typescript', typescriptSample(account, message)) },
        { name: 'Command line', body: codeBox('send-command', commandLineSample(account, message)) },
        {
          name: 'Postman',
          body: (
            <>
              <p>Import the collection. {filled}</p>
              <p>
                <a class="button second" href={collectionHref} download>
                  Download the collection
                </a>
              </p>
            </>
          ),
        },
      ])}
    </section>
  )
}

function receiveSheet({ from, isSandbox }: DevelopersView): Markup {
  const code = (
    <>
      {codeBox('receiver', RECEIVER)}
      <p class="soft small">
        For Hono, Next, Bun and Deno: <code>app.post('/hooks/sms', (c) =&gt; handler(c.req.raw))</code>
      </p>
    </>
  )
  const here = (
    <>
      {codeBox('listen', LISTEN)}
      <p>It prints each callback and passes it on to your program. In another terminal:</p>
      {codeBox('send-to-listener', sendToListener(from, SAMPLE_TO))}
    </>
  )
  return (
    <section class="sheet" id="receive">
      <h2>Receive callbacks</h2>
      <p class="soft">They are signed after Standard Webhooks. Verify one before you believe it.</p>
      {isSandbox
        ? tabs('receive-with', 'Receive with', [
            { name: 'TypeScript', body: code },
            { name: 'Try it on this machine', body: here },
          ])
        : code}
    </section>
  )
}

function assistantsSheet({ snippets }: DevelopersView): Markup {
  const all = snippets.map(({ client, into, text, link }, index) => ({
    name: client,
    body: (
      <>
        {link !== undefined && (
          <p>
            <a class="button second" href={link}>
              Add to {client}
            </a>
          </p>
        )}
        {into !== undefined && (
          <p>
            {link !== undefined && 'Or by hand. '}
            {into}
          </p>
        )}
        {codeBox(`assistant-${index + 1}`, text)}
      </>
    ),
  }))
  return (
    <section class="sheet" id="assistants">
      <h2>Connect an assistant</h2>
      <p class="soft">
        You sign in once and set what it may spend. <a href="/connections">See who is connected</a>
      </p>
      {tabs('connect-with', 'Assistants', all)}
    </section>
  )
}

function numbersSheet({ maySend }: DevelopersView): Markup {
  return (
    <section class="sheet" id="numbers">
      <h2>Numbers that fail on purpose</h2>
      <table>
        <caption class="unseen">The status of a message, by the end of its number</caption>
        {tableHead('Ends in', 'Status', ...(maySend ? [unseen('Try it')] : []))}
        <tbody>
          {TEST_NUMBERS.map(({ ending, status, also }) => (
            <tr>
              <td class="mono">{ending}</td>
              <td>
                {statusMark(status)} <span class="soft">{also}</span>
              </td>
              {maySend && (
                <td class="num">
                  <a href={`/send?to=${TEST_PREFIX}${ending}`}>
                    Send one<span class="unseen"> to {ending}</span>
                  </a>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function filesSheet({ collectionHref }: DevelopersView): Markup {
  return (
    <section class="sheet" id="files">
      <h2>Files</h2>
      <p class="together">
        <a href="/openapi.json">OpenAPI document</a>
        <a href={collectionHref} download>
          Postman collection
        </a>
        <a href="/docs">API reference</a>
      </p>
    </section>
  )
}
