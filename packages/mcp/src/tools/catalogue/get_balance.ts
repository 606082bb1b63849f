import { toolInputs } from '@wigwag/contract/tools'
import * as z from 'zod'
import { defineTool, reads } from '../tool.ts'

export const getBalance = defineTool({
  name: 'get_balance',
  title: 'Get balance',
  description:
    'Current wallet balance and currency. Use it when the person asks how much is left; for what was spent use ' +
    'delivery_insights, for what a message would cost estimate_cost. Holds for messages that are not final yet are ' +
    'already deducted. Free.',
  input: toolInputs.get_balance,
  output: z.object({
    balance: z.number().describe('What can still be spent.'),
    currency: z.string().describe("The wallet's currency, by its ISO 4217 code."),
    as_of: z.string().describe('When the balance was read, in UTC.'),
  }),
  annotations: reads,
  operations: ['getBalance'],
  async handler(_input, { client }) {
    const { balance, currency, asOf } = await client.getBalance()
    return {
      structured: { balance, currency, as_of: asOf },
      text: `The wallet can spend ${balance} ${currency}, as of ${asOf}.`,
    }
  },
})
