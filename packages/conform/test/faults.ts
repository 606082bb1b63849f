import { type Operation, type Rules, rules, TO } from './plain-server.ts'

type Json = Record<string, unknown>

/** A fault of the plain server, and the one check that finds it. */
export type Fault = readonly [what: string, check: string, change: Partial<Rules>]

const without = (name: string) => (found: Json) => {
  const { [name]: _, ...rest } = found
  return rest
}
const renamed = (name: string, other: string) => (found: Json) => ({
  ...without(name)(found),
  [other]: found[name],
})
const changed = (changes: Json) => (found: Json) => ({ ...found, ...changes })
const asText = (name: string) => (found: Json) => ({ ...found, [name]: String(found[name]) })
const bare = (name: string) => (found: Json) => ({
  ...found,
  [name]: String(found[name]).replaceAll('-', ''),
})
const each = (change: (found: Json) => Json) => (results: Json[]) => results.map(change)
const OTHER = '0191d7c2-5b02-4d10-8c55-3f1e9a7b2c64'

const html =
  (path: RegExp): Rules['instead'] =>
  (url, response) => {
    if (!path.test(url)) return false
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
    return true
  }

/** The plain server's required fields, without one field of one operation. */
const notRequired =
  (operation: Operation, name: string): Rules['required'] =>
  (asked, body) =>
    rules.required(asked, body).filter((field) => asked !== operation || field !== name)

/** The payload of the single send, since that of others is another check's. */
const payload = (change: (found: Json) => unknown): Partial<Rules> => ({
  payload: (found) => (String(found.ClientReference).endsWith('-single') ? change(found) : found),
})

function sameTicket(): Rules['result'] {
  let first: unknown
  return (found) => {
    first ??= found.Ticket
    return { ...found, Id: first, Ticket: first }
  }
}

const answers: readonly Fault[] = [
  ['the balance is a list', 'balance.answers', { balance: (found) => [found] }],
  ['Balance instead of balance', 'balance.fields', { balance: renamed('balance', 'Balance') }],
  ['no asOf', 'balance.fields', { balance: without('asOf') }],
  ['the balance as a string', 'balance.types', { balance: asText('balance') }],
  ['asOf without a fraction', 'balance.date', { balance: changed({ asOf: '2026-01-31T10:00:00Z' }) }],
  ['asOf with an offset', 'balance.date', { balance: changed({ asOf: '2026-01-31T10:00:00.1+01:00' }) }],
  ['HTML after a send', 'single.accepted', { instead: html(/sms$/) }],
  ['400 after a send', 'single.accepted', { successStatus: (name) => (name === 'single' ? 400 : 200) }],
  ['the result in a list', 'single.accepted', { result: (found) => [found] }],
  ['destination instead of Destination', 'single.fields', { result: renamed('Destination', 'destination') }],
  ['no Ticket', 'single.fields', { result: without('Ticket') }],
  ['Cost as a string', 'single.types', { result: asText('Cost') }],
  ['no reference as null', 'single.types', { result: changed({ ClientReference: null }) }],
  ['an Id that is no UUID', 'single.uuids', { result: bare('Id') }],
  ['a Destination with a plus', 'single.destination', { result: changed({ Destination: `+${TO[0]}` }) }],
  ['the reference not echoed', 'single.reference', { result: changed({ ClientReference: '' }) }],
  ['Status queued at once', 'single.status', { result: changed({ Status: 'queued' }) }],
  [
    'a send needs a Reference',
    'single.shortest',
    {
      required: (asked, body) => [
        ...rules.required(asked, body),
        ...(asked === 'single' ? ['Reference'] : []),
      ],
    },
  ],
  ['all messages with one Ticket', 'single.ticket', { result: sameTicket() }],
  [
    'the names of a send in any case',
    'single.case',
    { required: (asked, body) => (body.from ? [] : rules.required(asked, body)) },
  ],
]

const bulks: readonly Fault[] = [
  ['the results in an object', 'bulk.accepted', { results: (found) => ({ Results: found }) }],
  ['HTML after a bulk', 'bulk.accepted', { instead: html(/otm$/) }],
  ['a bulk with one result missing', 'bulk.each', { results: (found) => found.slice(1) }],
  ['ticket instead of Ticket in a bulk', 'bulk.fields', { results: each(renamed('Ticket', 'ticket')) }],
  ['Cost as a string in a bulk', 'bulk.types', { results: each(asText('Cost')) }],
  ['an Id that is no UUID in a bulk', 'bulk.uuids', { results: each(bare('Id')) }],
  [
    'every result with one reference',
    'bulk.references',
    { results: each(changed({ ClientReference: 'x' })) },
  ],
  ['Status sent in a bulk', 'bulk.status', { results: each(changed({ Status: 'sent' })) }],
  [
    'one Ticket for a bulk',
    'bulk.tickets',
    { results: (found) => found.map((result) => ({ ...result, Ticket: found[0]?.Ticket })) },
  ],
  ['the results in another order', 'answers.order', { results: (found) => found.toReversed() }],
]

const records: readonly Fault[] = [
  ['HTML instead of a record', 'status.answers', { instead: html(/status$/) }],
  ['Message_id instead of MessageId', 'status.fields', { record: renamed('MessageId', 'Message_id') }],
  ['dateCreated instead of DateCreated', 'status.fields', { record: renamed('DateCreated', 'dateCreated') }],
  ['BalanceAfter as a string', 'status.types', { record: asText('BalanceAfter') }],
  ['a MessageId that is no UUID', 'status.uuid', { record: bare('MessageId') }],
  [
    'a date without milliseconds',
    'status.dates',
    { record: changed({ EffectedAt: '2026-01-31T10:00:00Z' }) },
  ],
  ['a date with a blank', 'status.dates', { record: changed({ DateCreated: '2026-01-31 10:00:00.000' }) }],
  ['Type sms', 'status.type', { record: changed({ Type: 'sms' }) }],
  ['the MessageId of another message', 'status.id', { record: changed({ MessageId: OTHER }) }],
  ['another text in the record', 'status.message', { record: changed({ Content: '' }) }],
  [
    'the reference of a bulk lost in the record',
    'status.bulk',
    {
      record: (found) => ({
        ...found,
        Reference: String(found.Reference).includes('-bulk-') ? '' : found.Reference,
      }),
    },
  ],
  ['200 for an unknown ticket', 'status.unknown', { unknownTicket: { status: 200, json: {} } }],
  ['the status wants a wallet', 'status.no-wallet', { needsWallet: () => true }],
]

const refusals: readonly Fault[] = (['single', 'bulk', 'status', 'balance'] as const).flatMap((operation) => {
  const but = (asked: Operation) => asked !== operation
  const faults: Fault[] = [
    [`${operation} without Basic`, `${operation}.needs-basic`, { needsBasic: but }],
    [`${operation} with any secret`, `${operation}.needs-secret`, { checksSecret: but }],
  ]
  if (operation === 'status') return faults
  const needsWallet = (asked: Operation) => but(asked) && asked !== 'status'
  return [
    ...faults,
    [`${operation} without a wallet`, `${operation}.needs-wallet`, { needsWallet }],
    [`${operation} with any wallet token`, `${operation}.needs-token`, { checksToken: but }],
  ]
})

const missingFields: readonly Fault[] = [
  ...['From', 'To', 'Content'].map((name) => ['single', name] as const),
  ...['From', 'Content', 'Recipients'].map((name) => ['bulk', name] as const),
].map(([operation, name]) => [
  `a ${operation} send without ${name} is taken`,
  `${operation}.requires-${name}`,
  { required: notRequired(operation, name) },
])

const callbacks: readonly Fault[] = [
  ['no callback', 'callback.posted', { callbackUrl: unlessSent((reference) => /-single$/.test(reference)) }],
  ['a callback by PUT', 'callback.posted', { callbackMethod: 'PUT' }],
  ['a callback in a form', 'callback.json', payload(() => 'Status=success')],
  ['a callback without a balance', 'callback.fields', payload(without('BalanceBefore'))],
  [
    'clientReference in a callback',
    'callback.fields',
    payload(renamed('ClientReference', 'clientReference')),
  ],
  ['a callback with eight fields', 'callback.no-others', payload(changed({ Type: 'SMS' }))],
  ['Cost as a string in a callback', 'callback.types', payload(asText('Cost'))],
  ['another Ticket in a callback', 'callback.ticket', payload(changed({ Ticket: OTHER }))],
  ['another reference in a callback', 'callback.reference', payload(changed({ ClientReference: '' }))],
  ['another recipient in a callback', 'callback.destination', payload(changed({ Destination: TO[1] }))],
  ['another status in a callback', 'callback.status', payload(changed({ Status: 'delivered' }))],
  [
    'the alias ignored',
    'callback.alias',
    { callbackUrl: (body) => body.CallbackUrl ?? (body.Recipients && body.callbackUrl) },
  ],
  [
    'the alias ignored in a bulk',
    'callback.bulk-alias',
    { callbackUrl: (body) => body.CallbackUrl ?? (body.To && body.callbackUrl) },
  ],
  ['the alias refused', 'callback.alias', { required: refusingAlias('single') }],
  ['the alias refused in a bulk', 'callback.bulk-alias', { required: refusingAlias('bulk') }],
  [
    'one callback for a bulk',
    'callback.bulk',
    { callbackUrl: unlessSent((reference) => /-bulk-2$/.test(reference)) },
  ],
]

function refusingAlias(operation: Operation): Rules['required'] {
  return (asked, body) => [
    ...rules.required(asked, body),
    ...(asked === operation && body.callbackUrl !== undefined ? ['CallbackUrl'] : []),
  ]
}

function unlessSent(isLost: (reference: string) => boolean): Rules['callbackUrl'] {
  return (body, reference) => (isLost(String(reference)) ? undefined : rules.callbackUrl(body, reference))
}

const tools: readonly Fault[] = [
  [
    'nine tools',
    'mcp.write-tools',
    { tools: (names) => names.filter((name) => name !== 'cancel_scheduled') },
  ],
  [
    'getBalance instead of get_balance',
    'mcp.read-tools',
    { tools: (names) => names.map((name) => (name === 'get_balance' ? 'getBalance' : name)) },
  ],
  ['eleven tools', 'mcp.no-other-tools', { tools: (names) => [...names, 'send_bulk'] }],
  ['anonymous tools', 'mcp.needs-sign-in', { letsIn: (token) => token === undefined || rules.letsIn(token) }],
  ['tools for any token', 'mcp.needs-token', { letsIn: (token) => token !== undefined }],
  ['a sign-in without PKCE', 'mcp.pkce', { challengeMethods: [] }],
  ['get_balance fails', 'mcp.balance', { balanceIsError: true }],
]

const gone: Rules['instead'] = (url, response) => {
  if (url !== '/postman.json') return false
  response.writeHead(404).end()
  return true
}

const descriptions: readonly Fault[] = [
  ['OpenAPI 3.1', 'openapi.version-3', { openapi: changed({ openapi: '3.1.0' }) }],
  ['another version', 'openapi.version', { openapi: changed({ info: { version: '2.0.3' } }) }],
  [
    'no balance in the description',
    'openapi.operations',
    { openapi: ({ paths, ...rest }) => ({ ...rest, paths: without('/v1/account/balance')(paths as Json) }) },
  ],
  ['no Postman collection', 'postman.collection', { instead: gone }],
  [
    'a collection without variables',
    'postman.variables',
    { postman: changed({ variable: [{ key: 'baseUrl' }] }) },
  ],
  ['a collection without requests', 'postman.operations', { postman: changed({ item: [] }) }],
]

const leftOpen: readonly Fault[] = [
  ['201 after a send', 'answers.200', { successStatus: (name) => (name === 'single' ? 201 : 200) }],
  ['a field more in a result', 'answers.no-others', { result: changed({ Segments: 1 }) }],
  ['a Cost at once', 'answers.cost', { result: changed({ Cost: 0.05 }) }],
  ['a Cost in other units', 'answers.charge', { record: changed({ Cost: 5 }) }],
]

export const faults: readonly Fault[] = [
  ...answers,
  ...bulks,
  ...records,
  ...refusals,
  ...missingFields,
  ...callbacks,
  ...tools,
  ...descriptions,
  ...leftOpen,
]
