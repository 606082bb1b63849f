import { flag } from '../../net/pages/layout.tsx'
import type { Markup } from '../../net/pages/markup.ts'
import { documentOf, HEARTS } from '../document.tsx'
import { icon, sprite } from '../icons.tsx'
import type { Theme } from '../theme.tsx'
import { codeBox } from '../widgets/code.tsx'
import { type ApiDocument, contentOf, found, type Header, routesOf } from './document.ts'
import { fieldsOf } from './fields.tsx'
import { KEY_FIELDS } from './key-fields.ts'
import { anchorOf, headingsOf, markdown } from './markdown.tsx'
import { callbackSheet, inWords, operationSheet } from './operation.tsx'

/** Where a page finds the demo account's credentials, if it may have them. */
export const DEMO_PATH = '/docs/demo'

/** The reference: the whole document as text, with a form for each operation that needs the script. */
export function referencePage({
  document,
  assets,
  theme,
  isSandbox,
}: {
  document: ApiDocument
  assets: { style: string; script: string }
  theme: Theme | undefined
  isSandbox: boolean
}): string {
  const { info, tags } = document
  return documentOf(
    {
      title: 'API reference',
      site: isSandbox ? 'Wigwag TEST' : 'Wigwag',
      heart: isSandbox ? HEARTS.sandbox : HEARTS.real,
      style: assets.style,
      scripts: [assets.script],
      theme,
    },
    <>
      {sprite}
      <a class="skip" href="#main">
        To the page
      </a>
      {isSandbox && sandboxRibbon}
      <div class="shell">
        {rail(document)}
        <main id="main" class="middle">
          <div class="head">
            <h1>{info.title}</h1>
            <span class="soft">Version {info.version}</span>
            <span class="end">
              <a href="/openapi.json">openapi.json</a>
              <a href="/openapi.yaml">openapi.yaml</a>
            </span>
          </div>
          <section class="sheet prose">{markdown(info.description)}</section>
          {keysSheet(isSandbox)}
          {tags.map(({ name, description }) => (
            <section aria-labelledby={anchorOf(name)}>
              <h2 class="title" id={anchorOf(name)}>
                {name}
              </h2>
              {markdown(description)}
              {routesOf(document, name).map((route) => operationSheet(document, route))}
              {callbacksOf(document)
                .filter((operation) => operation.tags.includes(name))
                .map((operation) => callbackSheet(document, operation))}
            </section>
          ))}
          {errorsSection(document)}
          {headersSheet(document)}
        </main>
      </div>
      <div class="unseen" id="says" role="status" aria-live="polite" />
    </>,
  )
}

const sandboxRibbon: Markup = (
  <section class="ribbon" aria-label="Sandbox">
    <b>TEST</b>
    <span>
      <span class="strong">Sandbox.</span>{' '}
      <span class="roomy">No text reaches a phone and the money is play money.</span>
    </span>
  </section>
)

function rail(document: ApiDocument): Markup {
  const { info, tags } = document
  return (
    <header class="rail">
      <a class="brand" href="/">
        {flag}Wigwag
      </a>{' '}
      <button class="second tiny menu" popovertarget="places">
        {icon('menu')}Menu
      </button>
      <nav id="places" popover="auto" aria-label="API reference">
        {headingsOf(info.description).map((heading) => (
          <a href={`#${anchorOf(heading)}`}>{heading}</a>
        ))}
        {tags.map(({ name }) => (
          <>
            <h2>{name}</h2>
            {[...routesOf(document, name).map(({ operation }) => operation), ...callbacksOf(document)]
              .filter((operation) => operation.tags.includes(name))
              .map(({ operationId, summary }) => (
                <a href={`#${operationId}`}>{summary}</a>
              ))}
          </>
        ))}
        <h2>Every answer</h2>
        <a href="#errors-of-all">Errors</a>
        <a href="#headers">Headers</a>
      </nav>
    </header>
  )
}

/** The credentials for the forms. They stay in the page's fields. */
function keysSheet(isSandbox: boolean): Markup {
  const fields = [
    { id: KEY_FIELDS.clientId, name: 'Client ID', type: 'text' },
    { id: KEY_FIELDS.clientSecret, name: 'Client secret', type: 'password' },
    { id: KEY_FIELDS.walletToken, name: 'Wallet token', type: 'password' },
  ]
  return (
    <section class="sheet" id="keys" data-demo={isSandbox ? DEMO_PATH : undefined} hidden>
      <h2>Try it here</h2>
      <p class="soft" id="keys-filled" hidden>
        Filled in with the demo account’s, because this is a sandbox on your machine.
      </p>
      <p class="soft">
        Each operation below has a form. It sends to this gateway and nowhere else, and the page stores
        nothing.
        {!isSandbox && ' A send is real: a text goes out, and the wallet pays for it.'}
      </p>
      <div class="three">
        {fields.map(({ id, name, type }) => (
          <p class="field">
            <label for={id}>{name}</label>
            <input class="box mono" id={id} type={type} autocomplete="off" spellcheck={false} />
          </p>
        ))}
      </div>
    </section>
  )
}

/** The requests that the gateway makes, each once: several operations name the same. */
function callbacksOf({ components }: ApiDocument) {
  return Object.values(components.callbacks).flatMap((callback) =>
    Object.values(callback).map(({ post }) => post),
  )
}

function errorsSection(document: ApiDocument): Markup {
  const answers = Object.entries(document.components.responses)
  const problem = answers.map(([, answer]) => contentOf(answer)).find((content) => content !== undefined)
  return (
    <section aria-labelledby="errors-of-all">
      <h2 class="title" id="errors-of-all">
        Errors
      </h2>
      {problem && (
        <article class="sheet" id="problem" aria-labelledby="problem-title">
          <h3 id="problem-title">Every error has these fields</h3>
          {fieldsOf(document, problem.schema, 'answer')}
        </article>
      )}
      {answers.map(([name, answer]) => {
        const examples = Object.values(contentOf(answer)?.examples ?? {})
        return (
          <article class="sheet" id={name} aria-labelledby={`${name}-title`}>
            <h3 id={`${name}-title`}>
              {statusOf(examples[0]?.value)} {inWords(name)}
            </h3>
            {markdown(answer.description)}
            {examples.map(({ summary, value }, index) => (
              <details>
                <summary>{summary}</summary>
                {codeBox(`${name}-${index + 1}`, JSON.stringify(value, null, 2), 'wrap')}
              </details>
            ))}
          </article>
        )
      })}
    </section>
  )
}

function statusOf(problem: unknown): string {
  return String(Object(problem).status ?? '')
}

/** The headers of all answers, each once. */
function headersSheet(document: ApiDocument): Markup {
  const answers = Object.values(document.paths)
    .flatMap((item) => Object.values(item).flatMap(({ responses }) => Object.values(responses)))
    .map((told) => found(document, told))
  const headers = new Map<string, Header>(
    answers.flatMap(({ headers = {} }) =>
      Object.entries(headers).map(([name, told]) => [name, found(document, told)] as const),
    ),
  )
  return (
    <section class="sheet" aria-labelledby="headers">
      <h2 id="headers">Headers of answers</h2>
      <dl class="fields">
        {[...headers].map(([name, { description }]) => (
          <div>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{markdown(description)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
