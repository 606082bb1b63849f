import type { Random } from '../../support/random.ts'
import { fieldsOf, requiredOf, resolved, type Shape } from './document.ts'
import { Fields, type Json, Raw } from './json.ts'

/** How well a value fits its schema: for certain, just about or just not, almost, or not at all. */
export type Fit = 'valid' | 'edge' | 'near' | 'rubbish'

const A_DAY = 86_400_000
const START = Date.now()

/** Characters that texts rarely hold, and that programs therefore mistake. */
const ODD = [
  ...'\0\n\t\r"\\\'`<>&%+ \u00a0\u200b\u202e\u2028\ufeff\uffff\u0301٣４ﬁİß€😀\u{10ffff}',
  '\ud800',
  '\udfff\ud800',
  '\r\nX-Injected: 1',
  '../',
  '%00',
  '%zz',
  '<script>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as an attacker would write it
  '${7*7}',
  "' OR 1=1 --",
]

const RUBBISH = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e999',
  '-1e999',
  '1e-999',
  '9007199254740993',
  '[]',
  '{}',
  'NaN',
  'Infinity',
  '-Infinity',
  'undefined',
  '01',
  '.5',
  '+1',
  '0x10',
  "'text'",
  '"\\ud800"',
  '"\\u0000"',
  '{"toString":1}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":1}}',
  '[[[]]]',
  '""',
  '9'.repeat(400),
  '['.repeat(500) + ']'.repeat(500),
  `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`,
]

/** A text for a schema. */
export function textOf(given: Shape, random: Random, fit: Fit): string {
  const shape = resolved(given)
  const valid = validText(shape, random)
  switch (fit) {
    case 'valid':
      return valid
    case 'edge':
      return edgeText(shape, random, valid)
    case 'near':
      return nearText(valid, random)
    case 'rubbish':
      return Array.from({ length: random.from(0, 30) }, () => random.pick(ODD)).join('')
  }
}

function validText(shape: Shape, random: Random): string {
  if (shape.enum) return random.pick(shape.enum)
  if (shape.type === 'integer') {
    const { minimum = 0, maximum = 1_000 } = shape
    return String(minimum + random.from(0, maximum - minimum + 1))
  }
  if (shape.format === 'date-time') return timeText(random)
  const example = String(shape.example ?? 'x')
  if (random.chance(60)) return example
  // Names are known by their letters: most stay, so that a sender is one of the account and a key one that exists.
  const letters = random.chance(20) ? 20 : 0
  const changed = example.replace(/[A-Za-z0-9]/g, (character) =>
    random.chance(/\d/.test(character) ? 20 : letters) ? sameKind(character, random) : character,
  )
  return shape.pattern && !new RegExp(shape.pattern).test(changed) ? example : changed
}

/** Around now, since that is when what is stored was made and what is scheduled is due. */
function timeText(random: Random): string {
  const at = new Date(START + random.from(0, 60 * A_DAY) - (random.chance(30) ? 60 * A_DAY : 0)).toISOString()
  return random.pick([at, at.replace(/\.\d+Z/, 'Z'), at.replace('Z', '+02:00'), at.replace('Z', '-09:30')])
}

function sameKind(character: string, random: Random): string {
  const kind = ['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  return random.pick([...(kind.find((each) => each.includes(character)) ?? character)])
}

function edgeText(shape: Shape, random: Random, valid: string): string {
  const { minLength = 0, maxLength = 64, minimum = 0, maximum = 2 ** 31 } = shape
  if (shape.type === 'integer')
    return random.pick([minimum - 1, minimum, maximum, maximum + 1, 2 ** 53, -(2 ** 53), 0].map(String))
  if (shape.format === 'date-time')
    return random.pick([
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
      '+275760-09-13T00:00:00Z',
      '1970-01-01T00:00:00Z',
      '2024-02-29T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '2016-12-31T23:59:60Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:00:00+23:59',
      '2026-01-01T00:00:00-00:00',
      '2026-01-01T00:00:00.123456789Z',
      new Date(START + 90 * A_DAY).toISOString(),
    ])
  const length = random.pick([
    0,
    minLength - 1,
    minLength,
    maxLength - 1,
    maxLength,
    maxLength + 1,
    160,
    161,
    70,
  ])
  const filler = random.pick(['a', '1', valid || 'x', '€', 'é', '😀', ' '])
  return filler.repeat(Math.ceil(Math.max(0, length) / filler.length)).slice(0, Math.max(0, length))
}

/** A text that has been changed in one place. */
export function nearText(text: string, random: Random): string {
  const at = random.from(0, text.length + 1)
  const odd = random.pick(ODD)
  return random.pick([
    text.slice(0, at) + odd + text.slice(at),
    text.slice(0, at) + odd + text.slice(at + 1),
    text.slice(0, at) + text.slice(at + 1),
    ` ${text}`,
    `${text} `,
    `+${text}`,
    text + text,
    text.toUpperCase(),
    text.toLowerCase(),
    text.normalize('NFD'),
  ])
}

/** A value for a schema, which fits it except in as many places as `faults` says. */
export function jsonFor(given: Shape, random: Random, faults: number): Json {
  const shape = resolved(given)
  const fields = fieldsOf(shape)
  if (Object.keys(fields).length > 0) return objectOf(shape, fields, random, faults)
  if (shape.items) return listOf(shape, shape.items, random, faults)
  if (faults === 0) return textOf(shape, random, 'valid')
  const fit = random.pick<Fit>(['edge', 'near', 'rubbish'])
  if (fit === 'rubbish' && random.chance(70)) return new Raw(random.pick(RUBBISH))
  return textOf(shape, random, fit)
}

function objectOf(shape: Shape, fields: Record<string, Shape>, random: Random, faults: number): Json {
  if (faults > 0 && random.chance(5)) return new Raw(random.pick(RUBBISH))
  const required = requiredOf(shape)
  const names = Object.keys(fields).filter((name) => required.includes(name) || random.chance(30))
  const faulty = Array.from({ length: faults }, () => random.pick(names))
  const entries = names.map((name): [string, Json] => [
    name,
    jsonFor(fields[name] ?? {}, random, faulty.filter((each) => each === name).length),
  ])
  return new Fields(faults > 0 && random.chance(40) ? rearranged(entries, random) : entries)
}

/** Fields that are missing, unknown, spelled otherwise, or there twice. */
function rearranged(entries: [string, Json][], random: Random): [string, Json][] {
  const at = random.from(0, entries.length)
  const [name, value] = entries[at] ?? ['', null]
  const others = entries.filter((_, index) => index !== at)
  const unknown = random.pick([
    '',
    'unknown',
    '__proto__',
    'constructor',
    'toString',
    '\ud800',
    'a'.repeat(5_000),
  ])
  return random.pick<[string, Json][]>([
    others,
    [...entries, [name, value]],
    [[name, new Raw(random.pick(RUBBISH))], ...entries],
    [...entries, [name, new Raw(random.pick(RUBBISH))]],
    [...others, [name.toLowerCase(), value]],
    [...others, [nearText(name, random), value]],
    [...entries, [unknown, new Raw(random.pick(RUBBISH))]],
    [...entries, ...Array.from({ length: 2_000 }, (_, index): [string, Json] => [`field${index}`, index])],
  ])
}

function listOf({ maxItems = 100 }: Shape, item: Shape, random: Random, faults: number): Json {
  if (faults > 0 && random.chance(5)) return []
  if (faults > 0 && random.chance(0.4)) {
    const one = jsonFor(item, random, 0)
    return Array.from({ length: maxItems + random.from(0, 2) }, () => one)
  }
  const length = random.chance(2) ? 200 : 1 + random.from(0, 8)
  const faulty = random.from(0, length)
  return Array.from({ length }, (_, index) => jsonFor(item, random, index === faulty ? faults : 0))
}
