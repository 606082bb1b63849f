import { startCopying } from '../../pages/browser/copy.ts'
import { startLink } from '../../pages/browser/link.ts'
import { startPasskeys } from '../../pages/browser/passkeys.ts'
import { startLive } from './live.ts'

/** What the desk does beyond plain HTML. Passkeys apart, everything works without this script. */
startCopying()
startLink()
startPasskeys()
startLive()
