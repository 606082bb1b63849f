import { curlOf, SETTING_VARIABLES } from '../../kernel/text/shell.ts'
import type { Markup } from '../../net/pages/markup.ts'
import { codeBox } from '../widgets/code.tsx'
import {
  type ApiDocument,
  type Content,
  contentOf,
  type Example,
  found,
  nameOf,
  type Operation,
  type Parameter,
  type Route,
  takesWallet,
} from './document.ts'
import { fieldsOf, parameterList } from './fields.tsx'
import { markdown } from './markdown.tsx'
import { tryForm } from './try-form.tsx'

/** An operation: what it does, what it takes, how it answers, and a form to try it. */
export function operationSheet(document: ApiDocument, route: Route): Markup {
  const { method, path, operation } = route
  const { operationId: id, summary, description } = operation
  const parameters = (operation.parameters ?? []).map((told) => found(document, told))
  const body = operation.requestBody && contentOf(operation.requestBody)
  const examples = body ? shortestFirst(body) : []
  return (
    <article class="sheet operation" id={id} aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{summary}</h3>
      {callLine(method, path)}
      {markdown(description)}
      <p class="soft small">{credentialsOf(operation)}</p>
      {(parameters.length > 0 || body) && <h4>Request</h4>}
      {parameters.length > 0 && parameterList(document, parameters)}
      {body && fieldsOf(document, body.schema, 'request')}
      {examples.map((example, index) => exampleBox(`${id}-example-${index + 1}`, example))}
      {answers(document, operation)}
      <h4>With curl</h4>
      {codeBox(`${id}-curl`, curlFor(route, parameters, examples[0]), 'wrap')}
      {tryForm(document, { route, parameters, examples })}
    </article>
  )
}

/** The request that the gateway makes of a receiver. */
export function callbackSheet(document: ApiDocument, operation: Operation): Markup {
  const { operationId: id, summary, description } = operation
  const parameters = (operation.parameters ?? []).map((told) => found(document, told))
  const body = operation.requestBody && contentOf(operation.requestBody)
  return (
    <article class="sheet operation" id={id} aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{summary}</h3>
      {callLine('POST', 'your CallbackUrl')}
      {markdown(description)}
      <h4>What is posted</h4>
      {parameterList(document, parameters)}
      {body && fieldsOf(document, body.schema, 'answer')}
      {body && shortestFirst(body).map((example, index) => exampleBox(`${id}-example-${index + 1}`, example))}
      {answers(document, operation)}
    </article>
  )
}

function callLine(method: string, path: string): Markup {
  return (
    <p class="mono call">
      <b>{method}</b> {path}
    </p>
  )
}

function credentialsOf(operation: Operation): string {
  const basic = takesWallet(operation)
    ? 'Client ID and secret, and the wallet’s token'
    : 'Client ID and secret'
  const [scope] = operation.security.flatMap((each) => each.delegatedToken ?? [])
  return scope === undefined ? `${basic}.` : `${basic}; or an assistant’s access token with ${scope}.`
}

/** The example with the fewest fields is the one to begin with. */
function shortestFirst({ examples }: Content): Example[] {
  const size = ({ value }: Example) => JSON.stringify(value).length
  return Object.values(examples).toSorted((a, b) => size(a) - size(b))
}

function exampleBox(id: string, { summary, value }: Example): Markup {
  return (
    <>
      <p class="soft small example">{summary}</p>
      {codeBox(id, JSON.stringify(value, null, 2), 'wrap')}
    </>
  )
}

/** The answer of a success in full, and links to the errors, which operations share. */
function answers(document: ApiDocument, { operationId, responses }: Operation): Markup {
  const own = Object.entries(responses).filter(([, told]) => nameOf(told) === undefined)
  const shared = Object.entries(responses).flatMap(([status, told]) => {
    const name = nameOf(told)
    return name === undefined ? [] : [{ status, name }]
  })
  return (
    <>
      {own.map(([status, told]) => {
        const answer = found(document, told)
        const content = contentOf(answer)
        return (
          <>
            <h4>Answer {status}</h4>
            {markdown(answer.description)}
            {content && fieldsOf(document, content.schema, 'answer')}
            {content &&
              Object.values(content.examples).map((example, index) =>
                exampleBox(`${operationId}-answer-${index + 1}`, example),
              )}
          </>
        )
      })}
      {shared.length > 0 && (
        <>
          <h4>Errors</h4>
          <p class="chips">
            {shared.map(({ status, name }) => (
              <a href={`#${name}`}>
                {status} {inWords(name)}
              </a>
            ))}
          </p>
        </>
      )}
    </>
  )
}

/** `Not cancellable` of `NotCancellable`. */
export function inWords(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** The request as it is without a script: the shell puts address and credentials in. */
function curlFor(
  { method, path, operation }: Route,
  parameters: readonly Parameter[],
  example: Example | undefined,
): string {
  const { baseUrl, walletToken, ...client } = SETTING_VARIABLES
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, example: value }) => `${name}=${encodeURIComponent(String(value))}`)
  const place = path.replace(/\{(\w+)\}/g, (whole, name) =>
    String(parameters.find((parameter) => parameter.name === name)?.example ?? whole),
  )
  return curlOf({
    method,
    url: `${baseUrl}${place}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    credentials: takesWallet(operation) ? { ...client, walletToken } : client,
    ...(example && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(example.value),
    }),
  })
}
