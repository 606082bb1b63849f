import type { Acting } from '../../audit/index.ts'
import type { OperatorSession } from '../../operators/index.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'
import type { PageContext, ReplyOptions } from '../../platform/pages/reply.ts'
import type { PageParts } from './shell.ts'

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
export interface Page extends PageParts, ReplyOptions {}
