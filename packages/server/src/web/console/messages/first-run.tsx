import type { Right } from '../../../accounts/people/index.ts'
import { flag } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { codeBox, tabs } from '../../widgets/code.tsx'
import {
  commandLineSample,
  curlSample,
  isComplete,
  type SampleAccount,
  typescriptSample,
} from '../widgets/samples.ts'
import { LIVE } from './head.tsx'
import { type ListView, liveData, messageList } from './list.tsx'

interface FirstRunView {
  account: SampleAccount
  /** An approved sender ID; undefined when the account has none. */
  sender: string | undefined
  sandbox: boolean
  may(right: Right): boolean
  /** The list that the first message will be in. */
  list: ListView
}

/** The inbox of an account that has not sent anything: how to send a first message, and a place where it shows up. */
export function firstRun(view: FirstRunView): Markup {
  const { account, sender, sandbox, list, may } = view
  if (!may('build')) return nothingYet(view)
  return (
    <>
      <div class="head">
        <h1>Send your first message</h1>
        {LIVE}
      </div>
      <ol class="steps">
        <li>
          <h2>Paste this into a terminal</h2>
          <p class="soft">{lead(account)}</p>
          {sender === undefined && NO_SENDER}
          {samples(account, sender ?? 'WIGWAG')}
        </li>
        <li>
          <h2>Watch it arrive</h2>
          <div class="waits" id="waits" {...liveData('', [])}>
            {flag}
            <p>
              <span class="strong">Waiting for your first message.</span>
              <br />
              <span class="soft">
                It shows up here by itself, half a second after it is accepted. If the request is refused, the
                reason shows up instead.
              </span>
            </p>
          </div>
          <div id="refusal" hidden />
          <template id="first">{messageList(list)}</template>
        </li>
        <li>
          <h2>Or start from here</h2>
          <p class="together">
            {may('send') && (
              <a class="button second" href="/send">
                Write a message
              </a>
            )}
            <a href="/connections">Connect an assistant</a>
            {sandbox && <a href="/developers#numbers">Numbers that fail on purpose</a>}
          </p>
        </li>
      </ol>
    </>
  )
}

/** For people who write no programs. */
function nothingYet({ list, may }: FirstRunView): Markup {
  return (
    <>
      <div class="head">
        <h1>Nothing was sent yet</h1>
        {LIVE}
        {may('send') && (
          <span class="end">
            <a class="button" href="/send">
              Write a message
            </a>
          </span>
        )}
      </div>
      <div class="waits" id="waits" {...liveData('', [])}>
        {flag}
        <p>
          <span class="strong">Waiting for the first message.</span>
          <br />
          <span class="soft">It shows up here by itself, half a second after it is accepted.</span>
        </p>
      </div>
      <div id="refusal" hidden />
      <template id="first">{messageList(list)}</template>
    </>
  )
}

function lead(account: SampleAccount): Markup {
  return isComplete(account) ? (
    <>It is complete: the address, the keys and the wallet are this account’s own.</>
  ) : (
    <>
      Set <code>WIGWAG_CLIENT_ID</code>, <code>WIGWAG_CLIENT_SECRET</code> and{' '}
      <code>WIGWAG_WALLET_TOKEN</code> first. New ones are made on the page <a href="/keys">API keys</a>.
    </>
  )
}

const NO_SENDER: Markup = (
  <p class="note warn">
    This account has no approved sender ID yet. <a href="/sender-ids">Ask for one</a>
  </p>
)

function samples(account: SampleAccount, from: string): Markup {
  const message = { from, to: '233241234567', text: 'Hello from Wigwag' }
  return tabs('sample', 'Ways to send', [
    { name: 'curl', body: codeBox('sample-curl', curlSample(account, message)) },
    { name: 'TypeScript', body: codeBox('sample-typescript', typescriptSample(account, message)) },
    { name: 'Command line', body: codeBox('sample-command', commandLineSample(account, message)) },
    { name: 'Postman', body: POSTMAN },
  ])
}

const POSTMAN: Markup = (
  <>
    <p>Import the collection. Its variables hold this account’s address and keys.</p>
    <p>
      <a class="button second" href="/developers#files">
        Download the collection
      </a>
    </p>
  </>
)
