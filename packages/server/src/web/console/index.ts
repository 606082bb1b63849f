/** The console: the pages for the people of an account. Start with `mount.ts`. */

export { WordSearches } from './messages/word-searches.ts'
export { mountConsole } from './mount.ts'
export { openConsoleView } from './view.tsx'
