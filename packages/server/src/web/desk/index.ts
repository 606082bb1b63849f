/** The desk: the pages for the operators of the gateway, on a port of their own. Start with `mount.ts`. */

export { mountDesk } from './mount.ts'
