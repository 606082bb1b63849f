import { isLoopback, isLoopbackHost } from '@wigwag/contract'
import { siteOf, takesPasskeys } from '../../factors/index.ts'
import type { DeskSite } from '../../operators/index.ts'
import type { DeskParts } from '../parts.ts'

/** Where the desk listens, and the address at which operators open it. */
interface DeskPlace extends Pick<DeskParts, 'url'> {
  config: Pick<DeskParts['config'], 'desk'>
}

/**
 * The site of the desk. A generator's code is all that a stranger would have to guess, so it does only where strangers
 * don't come, on this machine, or where browsers have nothing better.
 */
export function deskSite({ config, url }: DeskPlace): DeskSite {
  const address = url()
  const isHere = isLoopback(new URL(address)) && isLoopbackHost(config.desk?.host ?? '')
  return { ...siteOf(address, 'Wigwag desk'), takesGenerators: isHere || !takesPasskeys(address) }
}
