import type { Given, GivenFields } from './field-reader.ts'

/** The parts of a carrier's URL. */
export interface Address {
  /** Without a colon. */
  scheme: string
  /** An IPv6 address has no brackets here. */
  host: string
  port: number | undefined
  user: string
  password: string | undefined
  /** Without user, query and a slash at the end. */
  plain: string
  query: URLSearchParams
}

/** Takes a URL apart; undefined when it is none. */
export function readAddress(text: string): Address | undefined {
  const url = URL.parse(text)
  if (url === null || url.hash !== '') return undefined
  // A password with a character that ends it early would be taken for a part that may be shown.
  if (`${url.pathname}${url.search}`.includes('@')) return undefined
  try {
    const path = url.pathname === '/' ? '' : url.pathname.replace(/\/$/, '')
    return {
      scheme: url.protocol.slice(0, -1),
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? undefined : Number(url.port),
      user: decodeURIComponent(url.username),
      password: url.password === '' ? undefined : decodeURIComponent(url.password),
      plain: `${url.protocol}//${url.host}${path}`,
      query: url.searchParams,
    }
  } catch {
    return undefined
  }
}

/** A query as fields; `numbers.short.ton=3` is `{ "numbers": { "short": { "ton": 3 } } }`. */
export function queryFields(query: URLSearchParams, place: string, prefix: string): Given {
  const root = new Map<string, Given>()
  const at = (field: string, value: Given['value']): Given => ({ place, namePlace: place, field, value })
  for (const [name, value] of query) {
    let fields = root
    const steps = name.split('.')
    const last = steps.pop() ?? ''
    for (const [depth, step] of steps.entries()) {
      const known = fields.get(step)?.value
      const inner = isFields(known) ? new Map(known.fields) : new Map<string, Given>()
      const field = prefix + steps.slice(0, depth + 1).join('.')
      fields.set(step, at(field, { kind: 'fields', fields: inner }))
      fields = inner
    }
    fields.set(last, at(prefix + name, value))
  }
  return at(prefix.replace(/[?.]$/, ''), { kind: 'fields', fields: root })
}

function isFields(value: Given['value'] | undefined): value is GivenFields {
  return typeof value === 'object' && value !== null && value.kind === 'fields'
}
