import type { Role } from '../../store/schema/schema.ts'

/** Rights on the pages. */
export type Right =
  /** See messages, callbacks, the wallet, alerts, insights, rates, sender IDs, and who did what. */
  | 'read'
  /** Send, schedule and cancel. */
  | 'send'
  /** Ask for sender IDs. */
  | 'senders'
  /** Keys, posting callbacks again, what the account is told of, and the controls of a sandbox. */
  | 'build'
  /** Let in an assistant that reads, and end one's own. */
  | 'assistants'
  /** Let in an assistant that sends. */
  | 'assistants that send'
  /** The account's people, what is required of them, and the limits of their assistants. */
  | 'people'

/** The one table of who may do what. Every route of the console names a right of it. */
const RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  owner: ['read', 'send', 'senders', 'build', 'assistants', 'assistants that send', 'people'],
  sender: ['read', 'send', 'senders', 'assistants', 'assistants that send'],
  developer: ['read', 'build', 'assistants'],
  viewer: ['read'],
}

export const ROLES = ['owner', 'sender', 'developer', 'viewer'] as const satisfies readonly Role[]

/** The roles in words. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'everything, and the people',
  sender: 'send, schedule and cancel, ask for sender IDs, and let assistants in',
  developer: 'keys, callbacks, and assistants that read',
  viewer: 'see messages, callbacks, the wallet, insights, rates and who did what; change nothing',
}

export function mayDo(role: Role, right: Right): boolean {
  return RIGHTS[role].includes(right)
}
