import { startCopying } from '../../pages/browser/copy.ts'
import { startElapsed } from '../../pages/browser/elapsed.ts'
import { startLink } from '../../pages/browser/link.ts'
import { startPasskeys } from '../../pages/browser/passkeys.ts'
import { startDrawer } from './drawer.ts'
import { startGoingBack } from './going-back.ts'
import { startKeys } from './keys.ts'
import { startLive } from './live.ts'

/** What the console does beyond plain HTML. Passkeys apart, everything works without this script. */
startCopying()
startElapsed()
startLink()
startPasskeys()
startKeys()
startDrawer()
startGoingBack()
startLive()
