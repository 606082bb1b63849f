export type { MessageRow as Message } from '../store/messages.ts'
