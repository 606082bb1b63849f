import { startComposing } from './compose.ts'
import { startProgress } from './progress.ts'

/** What the pages that send do beyond plain HTML. Other pages need not load it. */
startComposing()
startProgress()
