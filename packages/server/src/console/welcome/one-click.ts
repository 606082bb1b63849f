import { isFromThisMachine } from '../../pages/this-machine.ts'
import type { PageContext } from '../../platform/pages/reply.ts'
import type { ConsoleParts } from '../parts.ts'

/** The e-mail of the demo account for a browser on this machine, which may open it with one press; otherwise undefined. */
export function oneClickOf(
  c: PageContext,
  { sandbox, addressOf }: Pick<ConsoleParts, 'sandbox' | 'addressOf'>,
): string | undefined {
  return isFromThisMachine((name) => c.req.header(name), addressOf(c)) ? sandbox?.demo?.email : undefined
}
