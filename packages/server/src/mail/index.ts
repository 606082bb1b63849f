/** Mails to operators and to people of customers. Start with `wiring.ts`. */

export { composed, type Mail } from './mail.ts'
export { explain, sendMail } from './send.ts'
export { type Mails, openMail } from './wiring.ts'
