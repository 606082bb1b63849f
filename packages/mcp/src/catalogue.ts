import type { Tool } from './tool.ts'
import { cancelScheduled } from './tools/cancel_scheduled.ts'
import { deliveryInsights } from './tools/delivery_insights.ts'
import { estimateCost } from './tools/estimate_cost.ts'
import { getBalance } from './tools/get_balance.ts'
import { getMessageStatus } from './tools/get_message_status.ts'
import { getRates } from './tools/get_rates.ts'
import { listSenderIds } from './tools/list_sender_ids.ts'
import { scheduleSms } from './tools/schedule_sms.ts'
import { searchMessages } from './tools/search_messages.ts'
import { sendSms } from './tools/send_sms.ts'

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
