/** Reads of messages: look-up, search, timeline and insights. Start reading in `queries.ts`. */
export { createHistory } from './create.ts'
export type { Queries } from './queries.ts'
