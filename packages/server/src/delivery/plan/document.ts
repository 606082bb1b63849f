import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { Given, GivenFields, GivenValue } from './field-reader.ts'

/**
 * Reads JSON, with comments and trailing commas allowed, and keeps the place of every value. Returns undefined after
 * adding to `problems` when the text is not JSON.
 */
export function readDocument(name: string, text: string, problems: string[]): Given | undefined {
  const placeOf = placesIn(name, text)
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  if (errors.length > 0 || root === undefined) {
    problems.push(...mistakesIn(text, errors, placeOf))
    return undefined
  }

  function givenAt(node: Node, field: string, namePlace = placeOf(node.offset)): Given {
    return { place: placeOf(node.offset), namePlace, field, value: read(node, field) }
  }

  function read(node: Node, field: string): GivenValue {
    if (node.type === 'object') return fieldsOf(node, field)
    if (node.type !== 'array') return scalar(node.value)
    const items = (node.children ?? []).map((item, index) => givenAt(item, `${field}[${index}]`))
    return { kind: 'list', items }
  }

  function fieldsOf(node: Node, parent: string): GivenFields {
    const fields = new Map<string, Given>()
    for (const { children: [key, value] = [] } of node.children ?? []) {
      if (key === undefined || value === undefined) continue
      const field = parent === '' ? String(key.value) : `${parent}.${key.value}`
      const before = fields.get(String(key.value))
      if (before !== undefined) {
        const where = before.namePlace.slice(name.length + 1)
        problems.push(`${placeOf(key.offset)}: ${field}: expected each name once, but ${where} has it too`)
      }
      fields.set(String(key.value), givenAt(value, field, placeOf(key.offset)))
    }
    return { kind: 'fields', fields }
  }

  return givenAt(root, '')
}

/** `name:line:column` of an offset, both counted from 1. */
function placesIn(name: string, text: string): (offset: number) => string {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset)
    return `${name}:${line + 1}:${offset - (starts[line] ?? 0) + 1}`
  }
}

function scalar(value: unknown): string | number | boolean | null {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return null
}

const EXPECTED: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a value such as "text", 10 or true',
  InvalidNumberFormat: 'a number such as 10',
  PropertyNameExpected: 'a name in double quotes',
  ValueExpected: 'a value',
  ColonExpected: 'a colon',
  CommaExpected: 'a comma',
  CloseBraceExpected: 'a closing }',
  CloseBracketExpected: 'a closing ]',
  EndOfFileExpected: 'the end of the file',
  UnexpectedEndOfComment: 'the comment to end with */',
  UnexpectedEndOfString: 'the text to end with a double quote',
  UnexpectedEndOfNumber: 'the number to go on',
}

/** The first mistake of each line: those behind it are often its consequences. */
function mistakesIn(text: string, errors: ParseError[], placeOf: (offset: number) => string): string[] {
  const byLine = new Map<string, string>()
  for (const { error, offset } of errors.toSorted((a, b) => a.offset - b.offset)) {
    const place = placeOf(offset)
    const line = place.slice(0, place.lastIndexOf(':'))
    if (byLine.has(line)) continue
    const expected = EXPECTED[printParseErrorCode(error)] ?? 'JSON'
    byLine.set(line, `${place}: not JSON: expected ${expected}, got ${tokenAt(text, offset)}`)
  }
  return [...byLine.values()]
}

/** Only the kind of what was written: it may be a password. */
function tokenAt(text: string, offset: number): string {
  const character = text[offset]
  if (character === undefined) return 'the end of the file'
  if (character === '"') return 'a text'
  if (/[{}[\]:,]/.test(character)) return character
  return /[-\d]/.test(character) ? 'a number' : 'a word without double quotes'
}

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

/** Takes a carrier's URL apart; undefined when it is none, or when its password could be taken for another part. */
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

/** A query as fields; `numbers.short.ton=3` is `{ "numbers": { "short": { "ton": "3" } } }`. */
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
