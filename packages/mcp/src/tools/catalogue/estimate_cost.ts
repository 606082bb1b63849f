import { toolInputs } from '@wigwag/contract/tools'
import type { Estimate } from '@wigwag/sdk'
import * as z from 'zod'
import { quoted } from '../plain-text.ts'
import { defineTool, reads, toWire } from '../tool.ts'

export const estimateCost = defineTool({
  name: 'estimate_cost',
  title: 'Estimate cost',
  description:
    'Cost of a specific message before sending: segment count times rate, by the same rules as the charge. Use it before ' +
    'every send_sms or schedule_sms, to tell the person the price; for prices in general use get_rates. Sends and ' +
    'holds nothing. Free: one quick request.',
  input: toolInputs.estimate_cost,
  output: z.object({
    cost: z.number().describe('The price of the message.'),
    currency: z.string().describe('Its currency, by its ISO 4217 code.'),
    segments: z.int().describe('How many segments the text takes.'),
    unit_price: z.number().describe('The price of one segment.'),
    encoding: z.string().describe('The alphabet that the text needs.'),
    unicode_cause: z
      .string()
      .optional()
      .describe(
        'The first character outside the GSM alphabet. Without such characters a segment holds more.',
      ),
    country: z.string().describe("The recipient's country, by its two letters in ISO 3166-1."),
    network: z.string().optional().describe("The recipient's network, when the number shows it."),
  }),
  annotations: reads,
  operations: ['estimateCost'],
  async handler(input, { client }) {
    const estimate = await client.estimateCost(toWire('estimate_cost', input))
    const { Cost, Currency, Segments, UnitPrice } = estimate
    return {
      structured: {
        cost: Cost,
        currency: Currency,
        segments: Segments,
        unit_price: UnitPrice,
        encoding: estimate.Encoding,
        unicode_cause: estimate.UnicodeCause,
        country: estimate.Country,
        network: estimate.Network,
      },
      text: `The message would cost ${Cost} ${Currency}: ${Segments} × ${UnitPrice}.${dearer(estimate)}`,
    }
  },
})

/** A segment holds less than half as many characters when one of them is outside the GSM alphabet. */
function dearer({ UnicodeCause }: Estimate): string {
  if (UnicodeCause === undefined) return ''
  return ` A segment holds fewer characters because of ${quoted(UnicodeCause)}, which is not in the GSM alphabet.`
}
