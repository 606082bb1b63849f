/** Troubles: all that is wrong now, in one list for the desk and for alerts. Start with `read.ts`. */

export { readTroubles, type Trouble } from './read.ts'
