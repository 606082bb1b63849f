import { startLink } from '../../pages/browser/link.ts'
import { startPasskeys } from '../../pages/browser/passkeys.ts'

/** What the pages do on which people show who they are. Codes and passwords work without this script. */
startLink()
startPasskeys()
