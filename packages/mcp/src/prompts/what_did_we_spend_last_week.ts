import * as z from 'zod'
import { definePrompt } from './prompt.ts'

export const whatDidWeSpendLastWeek = definePrompt({
  name: 'what_did_we_spend_last_week',
  title: 'What did we spend last week',
  description: 'Sums up the messages and the spend of last week, Monday to Sunday in UTC, by day.',
  sends: false,
  input: z.strictObject({}),
  write: () => `Tell me what we spent on SMS last week, Monday to Sunday in UTC, with the Wigwag tools:
1. If you do not know today's date, call get_balance: as_of is now.
2. Call delivery_insights once, with group_by day, date_from last week's Monday at 00:00:00Z and date_to this week's Monday at 00:00:00Z.
3. Tell me the spend with its currency, and how many messages were sent, delivered, failed and are still pending. Name the day that cost most.
Pending messages can still be charged. Send nothing.`,
})
