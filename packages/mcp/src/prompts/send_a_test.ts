import { zRecipientNumber } from '@wigwag/contract/validators'
import * as z from 'zod'
import { definePrompt } from './prompt.ts'

export const sendATest = definePrompt({
  name: 'send_a_test',
  title: 'Send a test',
  description: 'Sends one test message and follows it until it is delivered. Asks before it spends.',
  sends: true,
  input: z.strictObject({
    to: z
      .string()
      .transform((typed) => typed.replace(/[\s()+-]/g, ''))
      .pipe(zRecipientNumber)
      .optional()
      .describe(
        "The recipient's number with the country code, such as 233241234567. Asked for when it is absent.",
      ),
  }),
  write: ({ to }) => `Send one test SMS with the Wigwag tools, step by step:
1. ${to === undefined ? "Ask me for the recipient's number, with the country code." : `The recipient is ${to}.`}
2. Call list_sender_ids and choose an approved sender ID. If there is none, tell me and stop.
3. Write a short text that says it is a test, in plain letters, and call estimate_cost with it.
4. Show me the recipient, the sender, the text and the price, and ask whether to send it. Wait for my yes.
5. After my yes, call send_sms once, with the price as max_cost.
6. Call get_message_status with the ticket, a few seconds apart and at most ten times, until is_final is true.
7. Tell me whether it was delivered, how long that took and what it cost; if it was not delivered, why.`,
})
