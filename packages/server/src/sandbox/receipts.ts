import type { Hono } from 'hono'
import * as z from 'zod'
import type { CarrierVerdict } from '../delivery/index.ts'
import type { Ticket } from '../domain/ids.ts'
import type { Queries } from '../history/index.ts'
import { transaction } from '../messages/index.ts'
import type { RouteParts } from '../platform/http/app.ts'
import { type HttpContext, readBody } from '../platform/http/body.ts'
import { parseJson } from '../platform/http/validate.ts'

export interface SandboxControls extends RouteParts {
  queries: Queries
  tell(ticket: Ticket, verdict: CarrierVerdict): Promise<void>
}

const receipt = z.object({
  Ticket: z.string(),
  Status: z.enum(['success', 'undelivered', 'expired', 'rejected', 'failed']),
})
const LIMIT = 1_024

/** Serves `/sandbox/receipts`, which gives a message the carrier's receipt. Not part of the contract. */
export function mountSandbox(app: Hono, { authenticate, validate, queries, tell }: SandboxControls): void {
  async function giveReceipt(c: HttpContext): Promise<Response> {
    const principal = await authenticate(c, { wallet: false })
    const { Ticket, Status } = validate(receipt, parseJson(await readBody(c, LIMIT)))
    const message = await queries.transaction(principal, Ticket)
    await tell(message.id, Status)
    return c.json(transaction(await queries.transaction(principal, Ticket)))
  }
  app.post('/sandbox/receipts', giveReceipt)
}
