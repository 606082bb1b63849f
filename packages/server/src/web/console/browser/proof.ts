import { startPrinting } from '../../browser/page.ts'
import { startLink, startPasskeys } from '../../browser/sign-in.ts'

/** Enhances pages where people prove who they are. Codes and passwords work without this script. */
startLink()
startPasskeys()
startPrinting()
