import { toolInputs } from '@wigwag/contract/tools'
import * as z from 'zod'
import { linksTo } from '../links.ts'
import { quotedLines } from '../plain-text.ts'
import { message, ticket, toMessage } from '../shapes.ts'
import { defineTool } from '../tool.ts'

export const cancelScheduled = defineTool({
  name: 'cancel_scheduled',
  title: 'Cancel scheduled SMS',
  description:
    'Cancel a scheduled SMS before it sends. Use it when the person asks for it; search_messages with status ' +
    'scheduled finds the ticket. What was held for it is released. A message whose time has come, one of send_sms, ' +
    'or one that another program scheduled cannot be cancelled; cancelling a cancelled one again changes nothing. Free.',
  input: toolInputs.cancel_scheduled.extend({
    ticket: ticket.describe('The ticket that schedule_sms gave.'),
  }),
  output: z.object(message),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  operations: ['cancelScheduledSms'],
  async question({ ticket }, { client }) {
    const found = await client.getMessage(ticket)
    // The call itself then says why it can't be cancelled.
    if (found.Status !== 'scheduled') return undefined
    const text = [
      'Cancel this scheduled SMS?',
      '',
      `To: ${found.To}`,
      `From: ${found.From}`,
      ...(found.SendAt === undefined ? [] : [`Due: ${found.SendAt}`]),
      'It will not be sent, and its price is released.',
      'Text:',
      quotedLines(found.Content),
    ]
    return { text: text.join('\n'), yes: 'Cancel it' }
  },
  async handler({ ticket }, { client, gate }, yes) {
    const cancelled = await gate.write({
      tool: 'cancel_scheduled',
      ticket,
      yes,
      write: () => client.cancelScheduledSms(ticket),
    })
    return {
      structured: toMessage(cancelled),
      text: `The message is ${cancelled.Status}; its price was released.`,
      links: linksTo(cancelled.MessageId),
    }
  },
})
