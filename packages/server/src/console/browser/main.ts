import { startCopying } from '../../pages/browser/copy.ts'
import { startElapsed } from '../../pages/browser/elapsed.ts'
import { startDrawer } from './drawer.ts'
import { startGoingBack } from './going-back.ts'
import { startKeys } from './keys.ts'
import { startLive } from './live.ts'

/** What the console does beyond plain HTML. Everything else works without this script. */
startCopying()
startElapsed()
startKeys()
startDrawer()
startGoingBack()
startLive()
