import type { Config } from '../../config.ts'
import { knownCarriers } from '../../delivery/index.ts'
import { planHere } from '../../doctor/index.ts'
import { nearestOf } from '../../domain/nearest.ts'
import type { OperatorParts } from '../../operator-parts.ts'
import { Failed } from '../terminal.ts'

/** Refuses a carrier that no plan, running gateway, pause or message names. Lets none pass. */
export async function requireCarrier(
  { carriers }: Pick<OperatorParts, 'carriers'>,
  config: Config,
  carrier: string | undefined,
): Promise<void> {
  if (carrier === undefined) return
  const overview = await carriers.overview()
  const withMessages = overview.messages.map((one) => one.carrier).filter((name) => name !== '')
  // First those: a carriers' file with mistakes must not keep an operator from settling.
  if (withMessages.includes(carrier)) return
  const known = new Set([...withMessages, ...knownCarriers(overview, () => planHere(config))])
  if (!known.has(carrier)) throw noSuchCarrier(carrier, [...known].sort())
}

export function noSuchCarrier(carrier: string, known: readonly string[]): Failed {
  const nearest = nearestOf(carrier, known)
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`
  const names = known.length === 0 ? 'none is known' : `known are ${known.join(', ')}`
  return new Failed(`there is no carrier ${JSON.stringify(carrier)}${hint}; ${names}`)
}
