import type { ConnectSnippet } from '../../assistants/index.ts'
import { TEST_NUMBERS } from '../../domain/test-numbers.ts'
import { statusMark } from '../../pages/widgets/state.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { codeBox, tabs } from '../widgets/code.ts'
import {
  commandLineSample,
  curlSample,
  isComplete,
  type SampleAccount,
  typescriptSample,
} from '../widgets/samples.ts'
import { filterTerms } from './filters.ts'
import { LISTEN, RECEIVER, sendToListener, shellKeys } from './snippets.ts'

export interface DevelopersView {
  account: SampleAccount
  clientId: string
  /** A sender ID that the account may send from, if it has one. */
  from: string
  snippets: readonly ConnectSnippet[]
  collectionHref: string
  isSandbox: boolean
  /** Whether the person may send from the console. */
  maySend: boolean
}

/** A number that the simulator delivers to, and the beginning of those that it does not. */
const SAMPLE_TO = '233241234567'
const TEST_PREFIX = '2332412'

export function developersPage(view: DevelopersView): Markup {
  return markup`<div class="head"><h1>Developers</h1><span class="soft">Filled in with this account’s values.</span><span class="end"><a class="button second" href="/docs">API reference</a></span></div>
${keys(view)}
${send(view)}
${receive(view)}
${connect(view)}
${view.isSandbox && testNumbers(view)}
${filterTerms()}
${files(view)}`
}

function keys({ account, clientId }: DevelopersView): Markup {
  return markup`<section class="sheet" id="keys"><h2>Keys, for your shell</h2>${codeBox('shell-keys', shellKeys(account, clientId))}
<p class="soft small">${
    isComplete(account)
      ? markup`Secrets are shown because this is the demo account of a sandbox. Elsewhere they are shown once, when they are made: <a href="/keys">API keys</a>.`
      : markup`Put your own secrets in. They were shown once, when they were made; if one is lost, make another: <a href="/keys">API keys</a>.`
  }</p></section>`
}

function send({ account, from, collectionHref }: DevelopersView): Markup {
  const message = { from, to: SAMPLE_TO, text: 'Hello from Wigwag' }
  const filled = isComplete(account)
    ? 'Its variables are filled in with this account’s values.'
    : 'Its address and client ID are filled in. Put the client secret and the wallet token in yourself.'
  return markup`<section class="sheet" id="send"><h2>Send</h2>${tabs('send-with', 'Send with', [
    { name: 'curl', body: codeBox('send-curl', curlSample(account, message)) },
    { name: 'TypeScript', body: codeBox('send-typescript', typescriptSample(account, message)) },
    { name: 'Command line', body: codeBox('send-command', commandLineSample(account, message)) },
    {
      name: 'Postman',
      body: markup`<p>Import the collection. ${filled}</p><p><a class="button second" href="${collectionHref}" download>Download the collection</a></p>`,
    },
  ])}</section>`
}

function receive({ from, isSandbox }: DevelopersView): Markup {
  const code = markup`${codeBox('receiver', RECEIVER)}<p class="soft small">For Hono, Next, Bun and Deno: <code>app.post('/hooks/sms', (c) =&gt; handler(c.req.raw))</code></p>`
  const here = markup`${codeBox('listen', LISTEN)}<p>It prints each callback and passes it on to your program. In another terminal:</p>${codeBox('send-to-listener', sendToListener(from, SAMPLE_TO))}`
  return markup`<section class="sheet" id="receive"><h2>Receive callbacks</h2><p class="soft">They are signed after Standard Webhooks. Verify one before you believe it.</p>${
    isSandbox
      ? tabs('receive-with', 'Receive with', [
          { name: 'TypeScript', body: code },
          { name: 'Try it on this machine', body: here },
        ])
      : code
  }</section>`
}

function connect({ snippets }: DevelopersView): Markup {
  const all = snippets.map(({ client, into, text, link }, index) => ({
    name: client,
    body: markup`${link !== undefined && markup`<p><a class="button second" href="${link}">Add to ${client}</a></p>`}${into !== undefined && markup`<p>${link !== undefined && 'Or by hand. '}${into}</p>`}${codeBox(`assistant-${index + 1}`, text)}`,
  }))
  return markup`<section class="sheet" id="assistants"><h2>Connect an assistant</h2><p class="soft">You sign in once and set what it may spend. <a href="/connections">See who is connected</a></p>${tabs('connect-with', 'Assistants', all)}</section>`
}

function testNumbers({ maySend }: DevelopersView): Markup {
  return markup`<section class="sheet" id="numbers"><h2>Numbers that fail on purpose</h2><table><caption class="unseen">The status of a message, by the end of its number</caption><thead><tr><th scope="col">Ends in</th><th scope="col">Status</th>${maySend && markup`<th scope="col"><span class="unseen">Try it</span></th>`}</tr></thead><tbody>${TEST_NUMBERS.map(
    ({ ending, status, also }) =>
      markup`<tr><td class="mono">${ending}</td><td>${statusMark(status)} <span class="soft">${also}</span></td>${maySend && markup`<td class="num"><a href="/send?to=${TEST_PREFIX}${ending}">Send one<span class="unseen"> to ${ending}</span></a></td>`}</tr>
`,
  )}</tbody></table></section>`
}

function files({ collectionHref }: DevelopersView): Markup {
  return markup`<section class="sheet" id="files"><h2>Files</h2><p class="together"><a href="/openapi.json">OpenAPI document</a><a href="${collectionHref}" download>Postman collection</a><a href="/docs">API reference</a></p></section>`
}
