import type { Markup } from '../../net/pages/markup.ts'
import {
  type ApiDocument,
  type Example,
  found,
  type Parameter,
  type Route,
  type Schema,
  takesWallet,
} from './document.ts'

/** The form that sends an operation's request from the page. It shows when there is a script. */
export function tryForm(
  document: ApiDocument,
  {
    route: { method, path, operation },
    parameters,
    examples,
  }: { route: Route; parameters: readonly Parameter[]; examples: readonly Example[] },
): Markup {
  const id = operation.operationId
  const [first] = examples
  return (
    <form
      class="try"
      id={`${id}-try`}
      data-operation={id}
      data-method={method}
      data-path={path}
      data-wallet={takesWallet(operation) ? 'yes' : undefined}
      autocomplete="off"
      hidden
    >
      <h4>Try it</h4>
      {parameters.length > 0 && (
        <div class="two">
          {parameters.map((parameter) => parameterField(id, parameter, found(document, parameter.schema)))}
        </div>
      )}
      {examples.length > 1 && (
        <p class="field">
          <label for={`${id}-choice`}>Example</label>
          <select class="box" id={`${id}-choice`} data-examples>
            {examples.map(({ summary }, index) => (
              <option value={`${id}-example-${index + 1}`}>{summary}</option>
            ))}
          </select>
        </p>
      )}
      {first && (
        <p class="field">
          <label for={`${id}-body`}>Body</label>
          <textarea class="box mono" id={`${id}-body`} rows={rowsOf(first)} spellcheck={false} data-body>
            {JSON.stringify(first.value, null, 2)}
          </textarea>
        </p>
      )}
      <p>
        <button>Send this request</button>
      </p>
      <div class="answer" role="status" aria-live="polite" />
    </form>
  )
}

const rowsOf = ({ value }: Example) => JSON.stringify(value, null, 2).split('\n').length

function parameterField(operationId: string, parameter: Parameter, schema: Schema): Markup {
  const { name, in: place, required = false, example } = parameter
  const id = `${operationId}-${name}`
  const isTicket = place === 'path' && /\bof a send result\b/.test(parameter.description ?? '')
  const common = { id, name, 'data-in': place, 'data-takes': isTicket ? 'ticket' : undefined, required }
  const values = schema.enum ?? schema['x-extensible-enum']
  return (
    <p class="field">
      <label for={id}>
        {name} <span class="soft small">{required ? 'required' : ''}</span>
      </label>
      {values ? (
        <select class="box" {...common}>
          {!required && <option value="" />}
          {values.map((value) => (
            <option>{String(value)}</option>
          ))}
        </select>
      ) : (
        <input class="box mono" placeholder={String(example ?? '')} spellcheck={false} {...common} />
      )}
    </p>
  )
}
