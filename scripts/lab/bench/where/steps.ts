import type { Place } from './profile.ts'

/** Names for the steps of a message, for readers who don't know the project's folders. */
export const IDLE = 'idle'
const NATIVE = 'outside JavaScript: system calls of the event loop'
const COLLECTOR = 'garbage collection'
const REST = 'Node: timers, promises, sockets'

const server = (path: string) => new RegExp(`^packages/server/src/(?:${path})`)

const DATABASE = /^packages\/server\/src\/store\/|node_modules\/(?:better-sqlite3|pg|pg-[\w-]+|drizzle-orm)\//

/** Built in, and mostly a system call. */
const SOCKETS = /^write(?:v|Buffer|\w+String)$/

/** A place belongs to the first that matches it or, if none does, to what its caller belongs to. */
const STEPS: [RegExp, string][] = [
  [/node_modules\/zod\/|^packages\/contract\/src\/generated\//, 'validation'],
  [server('(?:net/server/validate|messages/sending/field-rules)'), 'validation'],
  [
    /node_modules\/libphonenumber-js\/|^packages\/contract\/src\/text\//,
    'phone numbers, segments and prices',
  ],
  [
    server('kernel/(?:phone|text|money)|money/(?:price|rates?)|messages/sending/(?:prepare|quote)'),
    'phone numbers, segments and prices',
  ],
  [server('net/outbound|store/secrets|callbacks'), 'callbacks and signing'],
  [/^node:_http_client|^node:_http_agent|node_modules\/undici\//, 'callbacks and signing'],
  [
    server('flow/(?:observe|changes)|kernel/process/(?:log|metrics)|gateway/(?:observ|access)'),
    'logs, metrics and notices',
  ],
  [server('net/callers|accounts'), 'who the caller is'],
  [server('net/server'), 'HTTP and JSON'],
  [
    /node_modules\/(?:hono|@hono)\/|^node:_http|^node:internal\/webstreams|^node:internal\/deps\/undici/,
    'HTTP and JSON',
  ],
  [server('flow/jobs'), 'job worker'],
  [server('delivery/(?:finish|receipt)'), 'ending'],
  [/^packages\/smpp\/src/, 'SMPP'],
  [server('delivery'), 'handing to the carrier'],
  [server('messages|money|flow/batch'), 'accepting'],
  [server(''), 'the rest of the gateway'],
]

/** For whom a statement is. */
const WORK: [RegExp, string][] = [
  [server('messages/sending'), 'accept'],
  [server('delivery/(?:finish|receipt)'), 'finish'],
  [server('delivery'), 'submit'],
  [server('flow/jobs'), 'claim and settle jobs'],
  [server('callbacks'), 'callbacks'],
  [server('messages'), 'rows of messages'],
  [server('money'), 'wallets and ledger'],
  [server('(?!store/)'), 'the rest'],
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
