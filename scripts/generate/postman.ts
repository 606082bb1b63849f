/**
 * openapi.yaml → a Postman collection that runs as it is: six variables, credentials and wallet token filled in
 * from them, bodies that the gateway accepts, and the identifiers of one answer chained into later requests.
 */
import { type Document, type Parameter, type Route, routesOf } from './document.ts'

const VARIABLES = {
  baseUrl: 'http://127.0.0.1:8080',
  clientid: '',
  clientsecret: '',
  token: '',
  from: 'WIGWAG',
  to: '233241234567',
}

/** Which answers are needed later, and what of them. A variable is set while the collection runs. */
const KEEPS: Record<string, { variable: string; from: string }> = {
  sendSms: { variable: 'ticket', from: 'Ticket' },
  scheduleSms: { variable: 'scheduled', from: 'Ticket' },
  listCallbacks: { variable: 'callback', from: 'Items[0].Id' },
}
const USES: Record<string, string> = {
  getTransactionStatus: '{{ticket}}',
  getMessage: '{{ticket}}',
  cancelScheduledSms: '{{scheduled}}',
  rotateKey: '{{key}}',
  replayCallback: '{{callback}}',
}

/** A run of the collection ends before them. No answer fills in the key that is to be replaced. */
const ALONE = ['requestSenderId', 'rotateKey', 'replayCallback', 'replayFailedCallbacks']

export function postmanCollection(document: Document): object {
  const routes = routesOf(document)
  const inRun = document.tags.flatMap(({ name, description }) => {
    const own = routes.filter((route) => route.operation.tags.includes(name) && !isAlone(route))
    return own.length > 0 ? [{ name, description, routes: own }] : []
  })
  const last = inRun.at(-1)?.routes.at(-1)
  return {
    info: {
      name: document.info.title,
      version: document.info.version,
      description: document.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'basic',
      basic: [
        { key: 'username', value: '{{clientid}}', type: 'string' },
        { key: 'password', value: '{{clientsecret}}', type: 'string' },
      ],
    },
    variable: Object.entries(VARIABLES).map(([key, value]) => ({ key, value })),
    item: [
      ...inRun.map(({ name, description, routes: own }) => ({
        name,
        description,
        item: own.map((route) => request(route, route === last ? [END_OF_RUN] : [])),
      })),
      {
        name: 'Not in a run',
        description:
          'Requests that replace a key, ask the operator or post callbacks again. A run of the collection ends before them: send each by itself.',
        item: routes.filter(isAlone).map((route) => request(route)),
      },
    ],
  }
}

function isAlone({ operation }: Route): boolean {
  return ALONE.includes(operation.operationId)
}

/** Before what a refusal would make fail. */
const END_OF_RUN = 'pm.execution.setNextRequest(null)'

function request(route: Route, before: string[] = []): object {
  const { method, path, operation, parameters } = route
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => `:${name}`)
  const query = parameters.filter((p) => p.in === 'query')
  return {
    name: operation.summary,
    event: [
      ...(operation.operationId === 'scheduleSms' ? [script('prerequest', [TOMORROW])] : []),
      script('test', [...before, ...test(operation.operationId)]),
    ],
    request: {
      method: method.toUpperCase(),
      description: operation.description,
      header: headers(route),
      url: {
        raw: `{{baseUrl}}${filled}`,
        host: ['{{baseUrl}}'],
        path: filled.slice(1).split('/'),
        query: query.map((p) => ({
          key: p.name,
          value: String(p.example),
          description: p.description,
          disabled: p.required !== true,
        })),
        variable: parameters
          .filter((p) => p.in === 'path')
          .map((p) => pathVariable(operation.operationId, p)),
      },
      ...body(route),
    },
  }
}

const TOMORROW = "pm.variables.set('sendAt', new Date(Date.now() + 86400000).toISOString())"

function script(listen: 'prerequest' | 'test', exec: string[]): object {
  return { listen, script: { type: 'text/javascript', exec } }
}

function headers({ operation, parameters }: Route): object[] {
  const wallet = operation.security.some((alternative) => 'walletToken' in alternative)
  return [
    ...(wallet ? [{ key: 'X-Wallet', value: 'Token {{token}}' }] : []),
    ...(operation.requestBody ? [{ key: 'Content-Type', value: 'application/json' }] : []),
    ...parameters
      .filter((p) => p.in === 'header')
      .map((p) => ({ key: p.name, value: '{{$guid}}', description: p.description })),
  ]
}

function pathVariable(operationId: string, { name, example, description }: Parameter): object {
  return { key: name, value: USES[operationId] ?? String(example), description }
}

/** The first example, sent from and to the collection's variables, with no callback to an address of the examples. */
function body({ operation }: Route): object {
  const example = Object.values(operation.requestBody?.content['application/json'].examples ?? {})[0]
  if (!example) return {}
  const raw = JSON.stringify(
    example.value,
    (key, value: unknown) => {
      if (key === 'From') return '{{from}}'
      if (key === 'To') return '{{to}}'
      if (key === 'CallbackUrl') return undefined
      return key === 'SendAt' ? '{{sendAt}}' : value
    },
    2,
  )
  return { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } }
}

function test(operationId: string): string[] {
  const keep = KEEPS[operationId]
  return [
    "pm.test('answers 200', () => pm.response.to.have.status(200))",
    ...(keep
      ? [
          `pm.collectionVariables.set('${keep.variable}', pm.response.json().${keep.from.replace('[0]', '[0]?')})`,
        ]
      : []),
  ]
}
