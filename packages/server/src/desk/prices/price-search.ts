import { NETWORKS, networkOf } from '../../domain/phone/networks.ts'
import { isCountry, planOf, territoryOf } from '../../domain/phone/numbering-plan.ts'
import { plainNumber, type Recipient } from '../../domain/phone/phone.ts'
import type { RatesWanted } from '../../money/index.ts'
import { countryName } from '../../pages/widgets/country.ts'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const COUNTRIES = LETTERS.flatMap((a) => LETTERS.map((b) => a + b)).filter(isCountry)

export type Sought = Pick<RatesWanted, 'countries' | 'networks'>

/** Which prices a search means: of a number or how it begins, or of countries by a code or a part of their name. */
export function soughtBy(search: string): Sought {
  if (search === '') return { countries: undefined, networks: undefined }
  const digits = plainNumber(search)
  return /^\d+$/.test(digits) ? byNumber(digits) : byCountry(search)
}

function byCountry(search: string): Sought {
  const code = search.toUpperCase()
  if (isCountry(code)) return { countries: [code], networks: undefined }
  const part = search.toLowerCase()
  return {
    countries: COUNTRIES.filter((country) => countryName(country).toLowerCase().includes(part)),
    networks: undefined,
  }
}

/** As far as the digits decide: one network, several, or a whole country. */
function byNumber(digits: string): Sought {
  const plan = planOf(digits)
  if (!plan) return { countries: [], networks: undefined }
  const national = digits.slice(plan.callingCode.length)
  const territory =
    plan.territories.length === 1 ? plan.main : national === '' ? undefined : territoryOf(plan, national)
  const countries = (territory ? [territory] : plan.territories).map(({ country }) => country)
  if (national === '') return { countries, networks: undefined }
  const known = networkOf(digits as Recipient)
  const begun = NETWORKS.filter(({ prefixes }) => prefixes.some((prefix) => prefix.startsWith(digits)))
  return { countries, networks: known ? [known, ...begun] : begun }
}
