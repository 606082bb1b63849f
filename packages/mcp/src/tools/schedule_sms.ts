import { toolInputs } from '@wigwag/contract/tools'
import * as z from 'zod'
import { accepted, spendingInput, toAccepted } from './shapes.ts'
import { defineTool, toWire } from './tool.ts'

export const scheduleSms = defineTool({
  name: 'schedule_sms',
  title: 'Schedule SMS',
  description:
    'Queue a message for a future time; spends from the wallet. `send_at` is ISO 8601 with `Z` or an offset, at most ' +
    '90 days ahead: find out the time zone of the person. The price is held now; cancel_scheduled gives it back until ' +
    'the message is sent. `from` must be approved (list_sender_ids). The same message again within two minutes needs ' +
    'an idempotency_key.',
  input: toolInputs.schedule_sms.extend(spendingInput),
  output: z.object({ ...accepted, send_at: z.string().describe('When it will be sent, in UTC.') }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  operations: ['scheduleSms'],
  async handler({ idempotency_key, max_cost, ...message }, { client, gate }) {
    const scheduled = await gate.send({
      tool: 'schedule_sms',
      to: message.to,
      message,
      maxCost: max_cost,
      idempotencyKey: idempotency_key,
      estimate: (options) => client.estimateCost(toWire('estimate_cost', message), options),
      send: (options) => client.scheduleSms(toWire('schedule_sms', message), options),
    })
    return {
      structured: { ...toAccepted(scheduled), send_at: scheduled.SendAt },
      text: `Scheduled: the message to ${message.to} goes out at ${scheduled.SendAt}. Its price is held until then.`,
    }
  },
})
