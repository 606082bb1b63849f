import metadata from 'libphonenumber-js/min/metadata'

/**
 * The world's numbering plans out of libphonenumber's metadata, compiled once. Its parser builds the same
 * patterns anew on every call, some 50 times the cost: a bulk of 10,000 numbers would hold everyone else up.
 * The tests hold both to the same verdicts, so an update of the metadata cannot part them unseen.
 */
export interface NumberingPlan {
  callingCode: string
  /** Sharing one calling code, the main one first; `001` alone where the code belongs to no country. */
  territories: readonly Territory[]
  main: Territory
  /** What a national number may be prefixed with when dialled at home; such a number needs the full parser. */
  trunkPrefix: RegExp | undefined
}

export interface Territory {
  country: string
  /** Possible lengths of a national number, bit n for n digits. */
  lengths: number
  /** What makes a national number this territory's own, where a calling code is shared: how it begins… */
  leadingDigits: RegExp | undefined
  /** …or else that it is wholly a fixed, mobile, toll-free or other number of this territory. */
  kinds: readonly RegExp[]
}

/** Where each fact stands in a territory's record, of libphonenumber-js metadata version 4. */
const AT = { lengths: 3, nationalPrefix: 5, prefixForParsing: 7, leadingDigits: 10, kinds: 11 } as const

if (metadata.version !== 4) {
  throw new Error(`expected libphonenumber-js metadata version 4, got ${metadata.version}`)
}

/** Plans by calling code. No calling code begins another, so the first that fits is the only one. */
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

/** The plan that a number of ASCII digits in international form belongs to. */
export function planOf(digits: string): NumberingPlan | undefined {
  let code = 0
  for (let i = 0; i < 3; i++) {
    code = code * 10 + digits.charCodeAt(i) - 48
    const plan = plans[code]
    if (plan) return plan
  }
  return undefined
}

/** The territory that the number says it is in; undefined when a shared calling code leaves it open. */
export function territoryOf(plan: NumberingPlan, national: string): Territory | undefined {
  if (plan.territories.length === 1) return plan.main
  return plan.territories.find((territory) => owns(territory, national))
}

export function isPossibleLength(territory: Territory, national: string): boolean {
  return ((territory.lengths >> national.length) & 1) === 1
}

/**
 * libphonenumber also looks at the territory's general pattern and at the lengths of each kind. By the rules
 * of its metadata both only say again what the kinds' own patterns say, so they are left out here.
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

/** A kind is a list that begins with its pattern; an empty one, the same as fixed numbers, matches nothing. */
function readKinds(kinds: unknown): RegExp[] {
  if (!Array.isArray(kinds)) return []
  return kinds
    .map((kind: unknown) => (Array.isArray(kind) ? kind[0] : undefined))
    .filter((pattern: unknown) => typeof pattern === 'string')
    .map((pattern: unknown) => new RegExp(`^(?:${pattern})$`))
}
