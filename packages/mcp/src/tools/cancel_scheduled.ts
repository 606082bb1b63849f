import { toolInputs } from '@wigwag/contract/tools'
import * as z from 'zod'
import { message, ticket, toMessage } from './shapes.ts'
import { defineTool } from './tool.ts'

export const cancelScheduled = defineTool({
  name: 'cancel_scheduled',
  title: 'Cancel scheduled SMS',
  description:
    'Cancel a scheduled SMS before it sends. What was held for it is given back. A message whose time has come can ' +
    'no longer be cancelled; cancelling a cancelled one again changes nothing. Free.',
  input: toolInputs.cancel_scheduled.extend({
    ticket: ticket.describe('The ticket that schedule_sms gave.'),
  }),
  output: z.object(message),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  operations: ['cancelScheduledSms'],
  async handler({ ticket }, { client, gate }) {
    const cancelled = await gate.write({
      tool: 'cancel_scheduled',
      ticket,
      write: () => client.cancelScheduledSms(ticket),
    })
    return {
      structured: toMessage(cancelled),
      text: `The message is ${cancelled.Status}; its price was given back.`,
    }
  },
})
