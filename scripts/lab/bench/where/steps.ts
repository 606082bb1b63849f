import type { Place } from './profile.ts'

/** What a message goes through, as somebody who knows the project's folders would say it. */
export const IDLE = 'idle'
const NATIVE = 'outside JavaScript: system calls of the event loop'
const COLLECTOR = 'garbage collection'
const REST = 'Node: timers, promises, sockets'

const server = (path: string) => new RegExp(`^packages/server/src/(?:${path})`)

const DATABASE =
  /^packages\/server\/src\/platform\/database\/|node_modules\/(?:better-sqlite3|pg|pg-[\w-]+|drizzle-orm)\//

/** Built in, and mostly a system call. */
const SOCKETS = /^write(?:v|Buffer|\w+String)$/

/** A place belongs to the first that matches it or, if none does, to what its caller belongs to. */
const STEPS: [RegExp, string][] = [
  [/node_modules\/zod\/|^packages\/contract\/src\/generated\//, 'validation'],
  [server('(?:platform/http/validate|sending/field-rules)'), 'validation'],
  [
    /node_modules\/libphonenumber-js\/|^packages\/contract\/src\/text\//,
    'phone numbers, segments and prices',
  ],
  [
    server('domain/(?:phone|text|rates|segments|price)|money/(?:price|rates?)|sending/(?:prepare|quote)'),
    'phone numbers, segments and prices',
  ],
  [server('platform/(?:outbound|secrets)|callbacks|events'), 'callbacks and signing'],
  [/^node:_http_client|^node:_http_agent|node_modules\/undici\//, 'callbacks and signing'],
  [server('platform/(?:observe|log|metrics|changes)'), 'logs, metrics and notices'],
  [server('platform/http/(?:auth|principal)|accounts'), 'who the caller is'],
  [server('platform/http'), 'HTTP and JSON'],
  [
    /node_modules\/(?:hono|@hono)\/|^node:_http|^node:internal\/webstreams|^node:internal\/deps\/undici/,
    'HTTP and JSON',
  ],
  [server('platform/jobs'), 'job worker'],
  [server('delivery/(?:finish|receipt)'), 'ending'],
  [/^packages\/smpp\/src/, 'SMPP'],
  [server('delivery'), 'handing to the carrier'],
  [server('sending|messages|money|platform/batcher'), 'accepting'],
  [server(''), 'the rest of the gateway'],
]

/** For whom a statement is. */
const WORK: [RegExp, string][] = [
  [server('sending'), 'accept'],
  [server('delivery/(?:finish|receipt)'), 'finish'],
  [server('delivery'), 'submit'],
  [server('platform/jobs'), 'claim and settle jobs'],
  [server('callbacks|events'), 'callbacks'],
  [server('messages'), 'rows of messages'],
  [server('money'), 'wallets and ledger'],
  [server('(?!platform/database)'), 'the rest'],
]

/** The step that a place's own time belongs to. */
export function stepOf(place: Place): string {
  if (place.name === '(idle)') return IDLE
  if (place.name === '(program)') return NATIVE
  if (place.name === '(garbage collector)') return COLLECTOR
  const step = stepOfCallers(place)
  return place.file === '' && SOCKETS.test(place.name) ? `${step}: writes to sockets` : step
}

function stepOfCallers(place: Place): string {
  for (const one of callersOf(place)) {
    if (DATABASE.test(one.file)) return databaseStep(one)
    const [, step] = STEPS.find(([file]) => file.test(one.file)) ?? []
    if (step !== undefined) return step
  }
  return REST
}

function databaseStep(inside: Place): string {
  const callers = [...callersOf(inside)]
  for (const { file } of callers) {
    const [, work] = WORK.find(([pattern]) => pattern.test(file)) ?? []
    if (work !== undefined) return `database: ${work}`
  }
  const commits = callers.some(({ name, file }) => name === 'commit' && file.endsWith('/sqlite/sqlite.ts'))
  return commits ? 'database: commit and flush' : 'database: driver and shared statements'
}

/** A place, its caller, and so on. */
function* callersOf(place: Place): Generator<Place> {
  for (let one: Place | undefined = place; one; one = one.parent) yield one
}
