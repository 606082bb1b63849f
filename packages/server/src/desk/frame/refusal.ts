import { type ErrorView, errorPage } from '../../platform/pages/error.ts'
import { pageReply } from '../../platform/pages/reply.ts'

/** A page that says only why there is nothing else, with its status. */
export function refusal(status: number, view: ErrorView, headers: Record<string, string> = {}): Response {
  return pageReply(errorPage(view), { status, headers })
}
