import { toolInputs } from '@wigwag/contract/tools'
import * as z from 'zod'
import { defineTool, reads, toWire } from './tool.ts'

export const estimateCost = defineTool({
  name: 'estimate_cost',
  title: 'Estimate cost',
  description:
    'Cost of a specific message before sending: segment count times rate, by the same rules as the charge. Use it before ' +
    'send_sms or schedule_sms when the price matters. Sends nothing. Free.',
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
      text: `The message would cost ${Cost} ${Currency}: ${Segments} × ${UnitPrice}.`,
    }
  },
})
