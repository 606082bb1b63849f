/** The pages where people manage their connected assistants. Start with `mount.ts`, then `assistants.ts`. */

export { mountConsole } from './mount.ts'
