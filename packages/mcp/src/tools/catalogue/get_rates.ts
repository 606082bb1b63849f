import { toolInputs } from '@wigwag/contract/tools'
import * as z from 'zod'
import { capped, leftOut, listLimit } from '../shapes.ts'
import { defineTool, reads } from '../tool.ts'

export const getRates = defineTool({
  name: 'get_rates',
  title: 'Get rates',
  description:
    'Price to send to a given country: what one segment costs, by default and to networks with a different price. ' +
    'Use it to answer what a country costs and to compare; for the cost of one message use estimate_cost, which ' +
    'counts its segments. Free.',
  input: toolInputs.get_rates.extend({ limit: listLimit(20) }),
  output: z.object({
    country: z.string().describe('The country, by its two letters in ISO 3166-1.'),
    currency: z.string().describe('The currency of the prices, by its ISO 4217 code.'),
    default_price: z.number().optional().describe('The price to networks that are not listed with one.'),
    networks: z.array(
      z.object({
        network: z.string().describe("The network's name."),
        mcc: z.string().describe('Its mobile country code.'),
        mnc: z.string().describe('Its mobile network code.'),
        price: z.number().describe('The price of one segment.'),
      }),
    ),
    left_out: leftOut,
    sample: z.boolean().describe('True while the gateway uses its built-in sample prices.'),
  }),
  annotations: reads,
  operations: ['getRates'],
  async handler({ country, limit }, { client }) {
    const rates = await client.getRates(country)
    const networks = rates.Networks.map(({ Network, Mcc, Mnc, Price }) => ({
      network: Network,
      mcc: Mcc,
      mnc: Mnc,
      price: Price,
    }))
    const { shown, left_out } = capped(networks, limit)
    const usual = rates.DefaultPrice
    return {
      structured: {
        country: rates.Country,
        currency: rates.Currency,
        default_price: usual,
        networks: shown,
        left_out,
        sample: rates.Sample,
      },
      text: [
        usual === undefined
          ? `One segment to ${rates.Country} has a price for only ${networks.length} networks, in ${rates.Currency}.`
          : `One segment to ${rates.Country} costs ${usual} ${rates.Currency}, unless its network is listed with another price.`,
        ...(rates.Sample ? ['These are sample prices of the gateway, not agreed ones.'] : []),
      ].join(' '),
    }
  },
})
