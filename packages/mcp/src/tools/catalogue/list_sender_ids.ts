import { toolInputs } from '@wigwag/contract/tools'
import * as z from 'zod'
import { quoted } from '../plain-text.ts'
import { capped, leftOut, listLimit } from '../shapes.ts'
import { defineTool, reads } from '../tool.ts'

/** How many names the sentence has. The list has the rest. */
const NAMED = 5

export const listSenderIds = defineTool({
  name: 'list_sender_ids',
  title: 'List sender IDs',
  description:
    'Sender IDs on the account and their approval status. Use it before a send, to find a name for `from`: only ' +
    'approved ones can send. The approved come first. The operator of the gateway approves ' +
    'them; no tool can. Free: one quick request.',
  input: toolInputs.list_sender_ids.extend({ limit: listLimit(20) }),
  output: z.object({
    sender_ids: z.array(
      z.object({
        sender_id: z.string().describe('The sender name, to give as `from`.'),
        status: z.string().describe('Only `approved` may send.'),
        created_at: z.string().describe('When it was requested, in UTC.'),
      }),
    ),
    left_out: leftOut,
  }),
  annotations: reads,
  operations: ['listSenderIds'],
  async handler({ limit }, { client }) {
    const { Items } = await client.listSenderIds().page()
    const all = Items.map(({ SenderId, Status, DateCreated }) => ({
      sender_id: SenderId,
      status: Status,
      created_at: DateCreated,
    }))
    const approved = all.filter(({ status }) => status === 'approved')
    const others = all.filter(({ status }) => status !== 'approved')
    const { shown, left_out } = capped([...approved, ...others], limit)
    return {
      structured: { sender_ids: shown, left_out },
      text: `${approved.length} of ${all.length} sender IDs are approved${named(approved)}.`,
    }
  },
})

function named(approved: readonly { sender_id: string }[]): string {
  const names = approved.slice(0, NAMED).map(({ sender_id }) => quoted(sender_id))
  const more = approved.length > NAMED ? ' and more' : ''
  return names.length === 0 ? '' : `: ${names.join(', ')}${more}`
}
