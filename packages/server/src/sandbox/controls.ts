import type { Hono } from 'hono'
import * as z from 'zod'
import type { CarrierVerdict } from '../delivery/index.ts'
import { type FieldError, invalidFields } from '../kernel/errors.ts'
import type { Ticket } from '../kernel/ids.ts'
import { DAY_MS, readSpan } from '../kernel/time/spans.ts'
import type { Queries } from '../messages/history/index.ts'
import { transaction } from '../messages/index.ts'
import type { RouteParts } from '../net/server/app.ts'
import { type HttpContext, readBody } from '../net/server/body.ts'
import { parseJson } from '../net/server/validate.ts'
import { faultsInWords, readFaults } from './fault-settings.ts'
import type { Sandbox } from './sandbox.ts'

const change = z.object({
  Forward: z.string().optional(),
  Faults: z
    .object({
      Slow: z.string().optional(),
      Lost: z.string().optional(),
      Receivers: z.string().optional(),
      Gateway: z.string().optional(),
    })
    .optional(),
})
const LIMIT = 1_024
/** Times stay far below the last one that programs can write. */
const FARTHEST_DAYS = 366
const FARTHEST_MS = FARTHEST_DAYS * DAY_MS

/**
 * Serves `/sandbox/controls`: the clock and the faults of the console's controls, for `wigwag sandbox`. Not part of the
 * contract. It answers with how they are then: an empty change only asks. Faults name all that are to be on.
 */
export function mountControls(
  app: Hono,
  { authenticate, validation }: RouteParts,
  sandbox: Pick<Sandbox, 'clock' | 'faults' | 'forward'>,
): void {
  const { clock, faults } = sandbox
  async function apply(c: HttpContext): Promise<Response> {
    const principal = await authenticate(c, { wallet: false })
    const { Forward, Faults } = validation.validate(change, parseJson(await readBody(c, LIMIT)))
    const ms = Forward === undefined ? undefined : readMove(Forward)
    const settings = Faults && readFaultFields(Faults)
    if (ms !== undefined) await sandbox.forward(principal, ms)
    if (settings) faults.set(settings)
    return c.json({
      Now: new Date(clock.now()).toISOString(),
      AheadMs: clock.ahead(),
      Faults: faultsInWords(faults.settings()),
    })
  }

  app.post('/sandbox/controls', apply)
}

function readMove(text: string): number {
  const ms = readSpan(text)
  if (ms !== undefined && ms > 0 && ms <= FARTHEST_MS) return ms
  const detail = `Expected Forward to be a time such as 90s, 30m, 2h or 3d, at most ${FARTHEST_DAYS}d; got ${JSON.stringify(text)}. The clock never goes back.`
  throw invalidFields([{ pointer: '/Forward', code: 'invalid_value', detail }])
}

function readFaultFields({ Slow, Lost, Receivers, Gateway }: NonNullable<z.infer<typeof change>['Faults']>) {
  const read = readFaults({ slow: Slow, lost: Lost, receivers: Receivers, gateway: Gateway })
  if (!('errors' in read)) return read
  throw invalidFields(
    Object.entries(read.errors).map(([name, detail]): FieldError => {
      const pointer = `/Faults/${name.charAt(0).toUpperCase()}${name.slice(1)}`
      return { pointer, code: 'invalid_value', detail }
    }),
  )
}

const receipt = z.object({
  Ticket: z.string(),
  Status: z.enum(['success', 'undelivered', 'expired', 'rejected', 'failed']),
})

/** Serves `/sandbox/receipts`, which gives a message the carrier's receipt. Not part of the contract. */
export function mountReceipts(
  app: Hono,
  { authenticate, validation }: RouteParts,
  { queries, tell }: { queries: Queries; tell(ticket: Ticket, verdict: CarrierVerdict): Promise<void> },
): void {
  async function giveReceipt(c: HttpContext): Promise<Response> {
    const principal = await authenticate(c, { wallet: false })
    const { Ticket, Status } = validation.validate(receipt, parseJson(await readBody(c, LIMIT)))
    const message = await queries.transaction(principal, Ticket)
    await tell(message.id, Status)
    return c.json(transaction(await queries.transaction(principal, Ticket)))
  }
  app.post('/sandbox/receipts', giveReceipt)
}
