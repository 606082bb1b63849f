/** The console: the pages for the people of an account. Start with `mount.ts`. */

export { WordSearches } from './inbox/word-searches.ts'
export { mountConsole } from './mount.ts'
export { createConsoleView } from './view/view.ts'
