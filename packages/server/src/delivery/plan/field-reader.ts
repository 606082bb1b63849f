import { nearestOf } from '../../kernel/text/nearest.ts'

/** A value that an operator wrote, with its place. */
export interface Given {
  /** `carriers.json:4:12`, or the name of a setting. */
  readonly place: string
  /** Where its name was written; for an element of a list, its own place. */
  readonly namePlace: string
  /** `carriers.north.window`; empty for a whole document. */
  readonly field: string
  readonly value: GivenValue
}

export type GivenValue =
  | string
  | number
  | boolean
  | null
  | { readonly kind: 'list'; readonly items: readonly Given[] }
  | GivenFields

export interface GivenFields {
  readonly kind: 'fields'
  readonly fields: ReadonlyMap<string, Given>
}

/** Looks up a field by one of the names that were announced. */
export type Fields<Name extends string> = (name: Name) => Given | undefined

/**
 * Reads given values. A missing value reads as undefined without a complaint. A wrong value also reads as
 * undefined, with a complaint, so that a reader can go on and find all mistakes.
 */
export class Reader {
  /** The complaints so far, about all documents of one plan. */
  readonly problems: string[] = []

  complain(
    given: Given,
    expected: string,
    options: {
      /** The given value in words; `undefined` hides a value that must not be shown. Default: the value. */
      got?: string | undefined
      /** At the name of the field, not at its value. */
      atName?: boolean
    } = {},
  ): void {
    const place = options.atName ? given.namePlace : given.place
    const field = given.field === '' ? '' : ` ${given.field}:`
    const got = 'got' in options ? options.got : shown(given.value)
    this.problems.push(`${place}:${field} expected ${expected}${got === undefined ? '' : `, got ${got}`}`)
  }

  /** For a field that must be there: complains when it is missing. */
  required(parent: Given, name: string, given: Given | undefined, expected: string): Given | undefined {
    if (given === undefined) {
      const field = parent.field === '' ? name : `${parent.field}.${name}`
      this.complain({ ...parent, field }, expected, { got: 'nothing' })
    }
    return given
  }

  /** The fields of an object; those with other names are complained about. */
  fields<Name extends string>(
    given: Given | undefined,
    names: readonly Name[],
    advice: Partial<Record<string, string>> = {},
  ): Fields<Name> | undefined {
    const found = this.#read(given, `an object with ${listed(names)}`, fieldsOf)
    if (found === undefined) return undefined
    for (const [name, field] of found) {
      if (names.some((known) => known === name)) continue
      const nearest = nearestOf(name, names)
      const other = advice[name] ?? (nearest && `${nearest} (did you mean that?)`)
      this.complain(field, other ?? `${names.length > 1 ? 'one of' : 'only'} ${listed(names)}`, {
        got: JSON.stringify(name),
        atName: true,
      })
    }
    return (name) => found.get(name)
  }

  /** An object whose names the operator chooses. */
  entries(given: Given | undefined, expected: string): [string, Given][] | undefined {
    const found = this.#read(given, expected, fieldsOf)
    return found === undefined ? undefined : [...found]
  }

  list(given: Given | undefined, expected: string): readonly Given[] | undefined {
    return this.#read(given, expected, itemsOf)
  }

  text(given: Given | undefined, expected: string, pattern = /^/): string | undefined {
    return this.#read(given, expected, (value) =>
      typeof value === 'string' && pattern.test(value) ? value : undefined,
    )
  }

  /** A text or a number, as text. */
  word(given: Given | undefined, expected: string): string | undefined {
    return this.#read(given, expected, (value) =>
      typeof value === 'string' || typeof value === 'number' ? String(value) : undefined,
    )
  }

  /** One text or a list of them. */
  texts(given: Given | undefined, expected: string, pattern?: RegExp): string[] | undefined {
    if (given === undefined) return undefined
    const items = itemsOf(given.value) ?? [given]
    if (items.length === 0) this.complain(given, expected)
    const texts = items.map((item) => this.text(item, expected, pattern))
    return texts.filter((text) => text !== undefined)
  }

  // A query holds only texts, so a number or a yes and no may be written as one.
  whole(given: Given | undefined, least: number, most: number): number | undefined {
    return this.#read(given, `a whole number from ${least} to ${most}`, (value) => {
      const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
      const fits = Number.isInteger(number) && Number(number) >= least && Number(number) <= most
      return fits ? Number(number) : undefined
    })
  }

  flag(given: Given | undefined): boolean | undefined {
    return this.#read(given, 'true or false', (value) => {
      if (value === true || value === 'true') return true
      return value === false || value === 'false' ? false : undefined
    })
  }

  oneOf<T extends string>(given: Given | undefined, choices: readonly T[]): T | undefined {
    return this.#read(given, listed(choices, 'or'), (value) => choices.find((choice) => choice === value))
  }

  /** Applies `read`, and complains when it returns undefined. */
  #read<T>(
    given: Given | undefined,
    expected: string,
    read: (value: GivenValue) => T | undefined,
  ): T | undefined {
    if (given === undefined) return undefined
    const value = read(given.value)
    if (value === undefined) this.complain(given, expected)
    return value
  }
}

function fieldsOf(value: GivenValue): ReadonlyMap<string, Given> | undefined {
  return typeof value === 'object' && value?.kind === 'fields' ? value.fields : undefined
}

function itemsOf(value: GivenValue): readonly Given[] | undefined {
  return typeof value === 'object' && value?.kind === 'list' ? value.items : undefined
}

function shown(value: GivenValue): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (typeof value !== 'object' || value === null) return String(value)
  return value.kind === 'list' ? 'a list' : 'an object'
}

/** `a, b and c` */
export function listed(names: readonly string[], joint: 'and' | 'or' = 'and'): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${joint} ${last}`
}

export type Environment = Readonly<Record<string, string | undefined>>
