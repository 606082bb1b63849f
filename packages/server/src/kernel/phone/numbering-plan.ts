import metadata from 'libphonenumber-js/min/metadata'

/**
 * The world's numbering plans from libphonenumber's metadata, compiled once. Its parser rebuilds the patterns on every
 * call, at about 50 times the cost: a bulk of 10,000 numbers would block all other requests. Tests check that both give
 * the same results, so a metadata update that breaks this is noticed.
 */
export interface NumberingPlan {
  callingCode: string
  /** The territories that share the calling code, the main one first. Only `001` if the code belongs to no country. */
  territories: readonly Territory[]
  main: Territory
  /** The trunk prefix for domestic calls, if any. A number that has it needs the full parser. */
  trunkPrefix: RegExp | undefined
}

export interface Territory {
  country: string
  /** Possible lengths of a national number, bit n for n digits. */
  lengths: number
  /** Where a calling code is shared, a number belongs to this territory if it begins with these digits… */
  leadingDigits: RegExp | undefined
  /** …or else if it fully matches one of the territory's number kinds: fixed, mobile, toll-free and so on. */
  kinds: readonly RegExp[]
}

/** The index of each field in a territory's record, in libphonenumber-js metadata version 4. */
const AT = { lengths: 3, nationalPrefix: 5, prefixForParsing: 7, leadingDigits: 10, kinds: 11 } as const

if (metadata.version !== 4) {
  throw new Error(`expected libphonenumber-js metadata version 4, got ${metadata.version}`)
}

/** Plans by calling code. No calling code is a prefix of another, so at most one matches. */
const plans: (NumberingPlan | undefined)[] = new Array(1000)
for (const [code, countries] of Object.entries(metadata.country_calling_codes)) {
  const records = countries.map((country) => ({ country, record: metadata.countries[country] ?? [] }))
  plans[Number(code)] = readPlan(code, records)
}
for (const [code, record] of Object.entries(metadata.nonGeographic)) {
  plans[Number(code)] = readPlan(code, [{ country: '001', record }])
}

/** Whether two letters name a country (ISO 3166 alpha-2) that has a numbering plan. */
export function isCountry(code: string): boolean {
  return Object.hasOwn(metadata.countries, code)
}

/** The countries that have a numbering plan, by their codes. */
export function countryCodes(): string[] {
  return Object.keys(metadata.countries)
}

/** The plan of an international number in ASCII digits; undefined when no calling code matches. */
export function planOf(digits: string): NumberingPlan | undefined {
  let code = 0
  for (let i = 0; i < 3; i++) {
    code = code * 10 + digits.charCodeAt(i) - 48
    const plan = plans[code]
    if (plan) return plan
  }
  return undefined
}

/** The territory of a number; undefined when several share the calling code and none matches. */
export function territoryOf(plan: NumberingPlan, national: string): Territory | undefined {
  if (plan.territories.length === 1) return plan.main
  return plan.territories.find((territory) => owns(territory, national))
}

/** Whether the territory has national numbers of this length. */
export function isPossibleLength(territory: Territory, national: string): boolean {
  return ((territory.lengths >> national.length) & 1) === 1
}

/**
 * libphonenumber also checks the territory's general pattern and the lengths of each kind. By its metadata rules, both
 * are implied by the kinds' patterns, so they are skipped here.
 */
function owns(territory: Territory, national: string): boolean {
  if (territory.leadingDigits) return territory.leadingDigits.test(national)
  return territory.kinds.some((kind) => kind.test(national))
}

function readPlan(
  callingCode: string,
  records: readonly { country: string; record: readonly unknown[] }[],
): NumberingPlan {
  const territories = records.map(({ country, record }) => readTerritory(country, record))
  const [main] = territories
  const [first] = records
  if (!main || !first) throw new Error(`expected a territory for calling code ${callingCode}, got none`)
  const prefix = first.record[AT.prefixForParsing] || first.record[AT.nationalPrefix]
  return { callingCode, territories, main, trunkPrefix: prefix ? new RegExp(`^(?:${prefix})`) : undefined }
}

function readTerritory(country: string, record: readonly unknown[]): Territory {
  const leadingDigits = record[AT.leadingDigits]
  return {
    country,
    lengths: readLengths(record[AT.lengths]),
    leadingDigits: leadingDigits ? new RegExp(`^(?:${leadingDigits})`) : undefined,
    kinds: readKinds(record[AT.kinds]),
  }
}

function readLengths(lengths: unknown): number {
  if (!Array.isArray(lengths)) throw new Error(`expected a list of possible lengths, got ${typeof lengths}`)
  return lengths.reduce((bits: number, length: unknown) => bits | (1 << Number(length)), 0)
}

/** A kind is a list that starts with its pattern. An empty list means the same as fixed numbers and adds nothing. */
function readKinds(kinds: unknown): RegExp[] {
  if (!Array.isArray(kinds)) return []
  return kinds
    .map((kind: unknown) => (Array.isArray(kind) ? kind[0] : undefined))
    .filter((pattern: unknown) => typeof pattern === 'string')
    .map((pattern: unknown) => new RegExp(`^(?:${pattern})$`))
}
