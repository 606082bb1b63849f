import { toolInputs } from '@wigwag/contract/tools'
import * as z from 'zod'
import { linksTo } from '../links.ts'
import { afterwards, sendQuestion, sendThroughGate, toAccepted } from '../sending.ts'
import { accepted, spendingInput } from '../shapes.ts'
import { defineTool, toWire } from '../tool.ts'

export const scheduleSms = defineTool({
  name: 'schedule_sms',
  title: 'Schedule SMS',
  description:
    'Queue a message for a future time; spends from the wallet. Have the person confirm recipient, text, time and ' +
    'price first. `send_at` is ISO 8601 with `Z` or an offset, at most 90 days ahead: find out the time zone of the ' +
    'person. The price (estimate_cost) is held now; until the message is sent, cancel_scheduled releases it. `from` ' +
    'must be approved (list_sender_ids). The same message again within two minutes needs an idempotency_key.',
  input: toolInputs.schedule_sms.extend(spendingInput),
  output: z.object({ ...accepted, send_at: z.string().describe('When it will be sent, in UTC.') }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  operations: ['scheduleSms'],
  question: (input, context) => sendQuestion('schedule_sms', input, context),
  async handler(input, context, yes) {
    const scheduled = await sendThroughGate('schedule_sms', input, context, yes, (options) =>
      context.client.scheduleSms(toWire('schedule_sms', input), options),
    )
    const { SendAt, Ticket } = scheduled.result
    return {
      structured: { ...toAccepted(scheduled, input, yes), send_at: SendAt },
      text: `Scheduled: the message to ${input.to} goes out at ${SendAt}. ${afterwards(scheduled, 'until then', yes)}`,
      links: linksTo(Ticket),
    }
  },
})
