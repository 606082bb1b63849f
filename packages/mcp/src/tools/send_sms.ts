import { toolInputs } from '@wigwag/contract/tools'
import * as z from 'zod'
import { accepted, spendingInput, toAccepted } from './shapes.ts'
import { defineTool, toWire } from './tool.ts'

export const sendSms = defineTool({
  name: 'send_sms',
  title: 'Send SMS',
  description:
    'Send a single SMS to one recipient; spends from the wallet. It goes out at once and cannot be taken back, so ' +
    'have the person confirm recipient and text first. The price is held now, charged on delivery and given back if ' +
    'it fails; estimate_cost tells it. `from` must be approved (list_sender_ids). The same message again within two ' +
    'minutes needs an idempotency_key.',
  input: toolInputs.send_sms.extend(spendingInput),
  output: z.object(accepted),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  operations: ['sendSms'],
  async handler({ idempotency_key, max_cost, ...message }, { client, gate }) {
    const sent = await gate.send({
      tool: 'send_sms',
      to: message.to,
      message,
      maxCost: max_cost,
      idempotencyKey: idempotency_key,
      estimate: (options) => client.estimateCost(toWire('estimate_cost', message), options),
      send: (options) => client.sendSms(toWire('send_sms', message), options),
    })
    return {
      structured: toAccepted(sent),
      text: `Accepted: the message to ${message.to} is ${sent.Status}. Its price is held and charged on delivery.`,
    }
  },
})
