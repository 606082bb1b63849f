import type { Hono } from 'hono'
import * as z from 'zod'
import type { Ticket } from '../domain/ids.ts'
import type { CarrierVerdict } from '../gateway/ports.ts'
import type { Principal } from '../gateway/principal.ts'
import type { Queries } from '../gateway/queries.ts'
import type { Wants } from './auth.ts'
import { type HttpContext, readBody } from './body.ts'
import { parseJson, type Validate } from './validate.ts'
import { transaction } from './wire.ts'

export interface SandboxControls {
  authenticate(c: HttpContext, wants: Wants): Promise<Principal>
  validate: Validate
  queries: Queries
  tell(ticket: Ticket, verdict: CarrierVerdict): Promise<void>
}

const receipt = z.object({
  Ticket: z.string(),
  Status: z.enum(['success', 'undelivered', 'expired', 'rejected', 'failed']),
})
const LIMIT = 1_024

/** Outside the contract, and only in the sandbox: the carrier's receipt for a message that waits to be told. */
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
