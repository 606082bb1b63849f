import { toolInputs } from '@wigwag/contract/tools'
import * as z from 'zod'
import { linksTo } from '../links.ts'
import { afterwards, sendQuestion, sendThroughGate, toAccepted } from '../sending.ts'
import { accepted, spendingInput } from '../shapes.ts'
import { defineTool, toWire } from '../tool.ts'

export const sendSms = defineTool({
  name: 'send_sms',
  title: 'Send SMS',
  description:
    'Send a single SMS to one recipient; spends from the wallet. It goes out at once and cannot be taken back; for a ' +
    'later time use schedule_sms. The person is asked first where your program can ask them; otherwise have them ' +
    'confirm recipient, text and price. The price is held now, charged on delivery and released if it fails; ' +
    'estimate_cost tells it. `from` must be approved (list_sender_ids). Follow the message with get_message_status. ' +
    'The same message again within two minutes needs an idempotency_key.',
  input: toolInputs.send_sms.extend(spendingInput),
  output: z.object(accepted),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  operations: ['sendSms'],
  question: (input, context) => sendQuestion('send_sms', input, context),
  async handler(input, context, yes) {
    const sent = await sendThroughGate('send_sms', input, context, yes, (options) =>
      context.client.sendSms(toWire('send_sms', input), options),
    )
    return {
      structured: toAccepted(sent, input, yes),
      text: `Accepted: the message to ${input.to} is ${sent.result.Status}. ${afterwards(sent, 'and charged on delivery', yes)}`,
      links: linksTo(sent.result.Ticket),
    }
  },
})
