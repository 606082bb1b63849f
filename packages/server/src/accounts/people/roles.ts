import type { Role, Sees, StoredRole } from '../../store/schema/schema.ts'

/** Rights on the pages. */
export type Right =
  /** See messages, the wallet, alerts, insights, rates, sender IDs, and who did what. */
  | 'read'
  /** See the texts of messages too, whole numbers, and callbacks, whose requests and answers may have both. */
  | 'texts'
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
  owner: ['read', 'texts', 'send', 'senders', 'build', 'assistants', 'assistants that send', 'people'],
  sender: ['read', 'texts', 'send', 'senders', 'assistants', 'assistants that send'],
  developer: ['read', 'texts', 'build', 'assistants'],
  viewer: ['read', 'texts'],
  bookkeeper: ['read'],
}

export const ROLES = [
  'owner',
  'sender',
  'developer',
  'viewer',
  'bookkeeper',
] as const satisfies readonly Role[]

/** The roles in words. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'everything, and the people',
  sender: 'send, schedule and cancel, ask for sender IDs, and let assistants in',
  developer: 'keys, callbacks, and assistants that read',
  viewer: 'see messages, callbacks, the wallet, insights, rates and who did what; change nothing',
  bookkeeper: 'see the wallet, insights, rates and messages without text and whole number; change nothing',
}

export function mayDo(role: Role, right: Right): boolean {
  return RIGHTS[role].includes(right)
}

/** A role as it is stored. */
export function stored(role: Role): { role: StoredRole; sees: Sees } {
  return role === 'bookkeeper' ? { role: 'viewer', sees: 'money' } : { role, sees: 'everything' }
}

/** The role of a row. Only the version before makes somebody with `money` more than a viewer, who then is that. */
export function roleOf({ role, sees }: { role: StoredRole; sees: Sees }): Role {
  return role === 'viewer' && sees === 'money' ? 'bookkeeper' : role
}

/** The same in SQL, of a table's row. */
export function roleIn(table: string): string {
  return `CASE WHEN ${table}.role = 'viewer' AND ${table}.sees = 'money' THEN 'bookkeeper' ELSE ${table}.role END`
}
