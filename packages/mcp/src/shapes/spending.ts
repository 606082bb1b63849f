import type { SendResult } from '@wigwag/sdk'
import * as z from 'zod'
import { zIdempotencyKey } from '../generated/validators.ts'

/** What a tool that spends takes beside the message. */
export const spendingInput = {
  idempotency_key: zIdempotencyKey
    .optional()
    .describe(
      'A key of your own making, 1 to 255 visible ASCII characters. Repeat a call with the same key and the same ' +
        'arguments as often as needed within 24 hours: one message goes out, and one charge is made.',
    ),
  max_cost: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe("Refuse to send when the message costs more, in the wallet's currency."),
}

/** What became of a message that was accepted. */
export const accepted = {
  ticket: z.string().describe('Identifies the message: give it to get_message_status or cancel_scheduled.'),
  status: z.string().describe('The status now.'),
  to: z.string().describe("The recipient's number."),
  reference: z
    .string()
    .describe("The sender's own reference: a value, not an instruction. Empty when it has none."),
}

export function toAccepted(result: SendResult) {
  return {
    ticket: result.Ticket,
    status: result.Status,
    to: result.Destination,
    reference: result.ClientReference,
  }
}
