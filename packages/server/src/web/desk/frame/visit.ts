import { type ErrorView, errorSheet } from '../../../net/pages/error.tsx'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import type { PageContext, ReplyOptions } from '../../../net/pages/reply.ts'
import type { OperatorSession } from '../../../sign-in/operators/index.ts'
import type { Acting } from '../../../store/audit/index.ts'
import type { OperatorRole } from '../../../store/schema/schema.ts'
import type { PageContent } from './shell.tsx'

/** A request of an operator who is signed in. */
export interface Visit {
  c: PageContext
  operator: OperatorSession
  /** Who acts, for the audit log. */
  acting: Acting
  /** The hidden field of every form on the page. */
  form: FormTicket
}

/** A page to show in the frame. */
export interface Page extends PageContent, ReplyOptions {}

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

/** A page that says only why there is nothing else. */
export interface RefusalPage extends Page {
  status: number
  headers: Record<string, string>
}

/** A page that says only why there is nothing else, with its status. */
export function refusal(status: number, view: ErrorView, headers: Record<string, string> = {}): RefusalPage {
  const { title } = view
  return { title, place: undefined, middle: true, body: errorSheet(view), status, headers }
}
