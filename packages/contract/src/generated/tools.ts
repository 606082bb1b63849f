// Generated from openapi.yaml by `npm run generate`. Do not edit.

import * as z from 'zod'
import * as validators from './validators.ts'

/** The arguments of each tool: a field that is not named here is refused. */
export const toolInputs = {
  send_sms: z.strictObject({
    from: validators.zSenderName,
    to: validators.zRecipientNumber,
    content: validators.zMessageContent,
    reference: validators.zClientReference.optional(),
  }),
  get_balance: z.strictObject({}),
  search_messages: z.strictObject({
    date_from: validators.zSearchMessagesQuery.shape.DateFrom,
    date_to: validators.zSearchMessagesQuery.shape.DateTo,
    status: validators.zKnownStatus.optional(),
    to: validators.zRecipientNumber.optional(),
    from: validators.zSenderName.optional(),
    reference: validators.zReferenceFilter.optional(),
    limit: validators.zSearchMessagesQuery.shape.Limit,
    cursor: validators.zSearchMessagesQuery.shape.Cursor,
  }),
  get_message_status: z.strictObject({
    id: validators.zGetMessagePath.shape.id,
  }),
  estimate_cost: z.strictObject({
    from: validators.zSenderName.optional(),
    to: validators.zRecipientNumber,
    content: validators.zMessageContent,
  }),
  schedule_sms: z.strictObject({
    from: validators.zSenderName,
    to: validators.zRecipientNumber,
    content: validators.zMessageContent,
    reference: validators.zClientReference.optional(),
    send_at: validators.zSendAt,
  }),
  cancel_scheduled: z.strictObject({
    ticket: validators.zCancelScheduledSmsPath.shape.ticket,
  }),
  list_sender_ids: z.strictObject({}),
  get_rates: z.strictObject({
    country: validators.zGetRatesPath.shape.country,
  }),
  delivery_insights: z.strictObject({
    group_by: validators.zDeliveryInsightsQuery.shape.GroupBy,
    date_from: validators.zDeliveryInsightsQuery.shape.DateFrom,
    date_to: validators.zDeliveryInsightsQuery.shape.DateTo,
  }),
}

/** Each tool's arguments, and what the API calls them. */
export const wireNames = {
  send_sms: {
    from: 'From',
    to: 'To',
    content: 'Content',
    reference: 'Reference',
  },
  get_balance: {},
  search_messages: {
    date_from: 'DateFrom',
    date_to: 'DateTo',
    status: 'Status',
    to: 'To',
    from: 'From',
    reference: 'Reference',
    limit: 'Limit',
    cursor: 'Cursor',
  },
  get_message_status: {
    id: 'id',
  },
  estimate_cost: {
    from: 'From',
    to: 'To',
    content: 'Content',
  },
  schedule_sms: {
    from: 'From',
    to: 'To',
    content: 'Content',
    reference: 'Reference',
    send_at: 'SendAt',
  },
  cancel_scheduled: {
    ticket: 'ticket',
  },
  list_sender_ids: {},
  get_rates: {
    country: 'country',
  },
  delivery_insights: {
    group_by: 'GroupBy',
    date_from: 'DateFrom',
    date_to: 'DateTo',
  },
} as const
