/** The records that the doors show, under the names that they know them by. */
export type { LoggedCallback } from '../store/callback-log.ts'
export type { MessageRow as Message, NewMessage } from '../store/messages.ts'
