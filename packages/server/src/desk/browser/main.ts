import { startCopying } from '../../pages/browser/copy.ts'
import { startLink } from './link.ts'
import { startLive } from './live.ts'
import { startPasskeys } from './passkeys.ts'

/** What the desk does beyond plain HTML. Passkeys apart, everything works without this script. */
startCopying()
startLink()
startPasskeys()
startLive()
