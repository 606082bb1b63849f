import type { Tool } from '../tool.ts'
import { cancelScheduled } from './cancel_scheduled.ts'
import { deliveryInsights } from './delivery_insights.ts'
import { estimateCost } from './estimate_cost.ts'
import { getBalance } from './get_balance.ts'
import { getMessageStatus } from './get_message_status.ts'
import { getRates } from './get_rates.ts'
import { listSenderIds } from './list_sender_ids.ts'
import { scheduleSms } from './schedule_sms.ts'
import { searchMessages } from './search_messages.ts'
import { sendSms } from './send_sms.ts'

/** The ten tools, in the order of the specification. */
export const toolCatalogue: readonly Tool[] = [
  getBalance,
  listSenderIds,
  getMessageStatus,
  searchMessages,
  getRates,
  deliveryInsights,
  estimateCost,
  sendSms,
  scheduleSms,
  cancelScheduled,
]
