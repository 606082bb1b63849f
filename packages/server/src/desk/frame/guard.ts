import type { OperatorRole } from '../../platform/database/schema.ts'

/** Who may ask for a page: everybody at the desk, or those who act. */
export interface Guard {
  right: OperatorRole
}

export interface ChangeGuard extends Guard {
  /** Asks for the passkey or a code again unless one was shown within so many minutes. */
  provenWithinMinutes?: number
  /** In bytes, of the form. */
  largest?: number
  /** It answers with a file, one at a time for an operator. */
  isFile?: true
}

export const LOOK = { right: 'look' } as const satisfies Guard
export const ACT = { right: 'act' } as const satisfies Guard
/** For money, secrets, who may enter, all of a customer's data, and what can't be undone. */
export const PROVEN = { ...ACT, provenWithinMinutes: 10 } as const satisfies ChangeGuard
