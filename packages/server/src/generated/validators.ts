// Generated from openapi.yaml by `npm run generate`. Do not edit.

import * as z from 'zod';

/**
 * The sender name: 1 to 11 letters, digits and spaces with at least one letter and no space at either end, or
 * 3 to 15 digits. It must be an approved sender ID of the account.
 *
 */
export const zSenderName = z.string().min(1).max(15).regex(/^(?:(?=.{1,11}$)(?=.*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9 ]*[A-Za-z0-9])?|[0-9]{3,15})$/);

/**
 * The recipient's number, digits with country code and no separators; no leading `+`.
 */
export const zRecipientNumber = z.string().min(7).max(15).regex(/^[1-9][0-9]{6,14}$/);

/**
 * The text, at most 10 segments long. A segment holds 160 characters of the GSM alphabet (153 when there are
 * several), or 70 (67) when the text has a character outside it. Characters of the GSM extension table count as two.
 *
 */
export const zMessageContent = z.string().min(1).max(1530);

/**
 * Your own reference. It comes back in the results, the status and the callback.
 */
export const zClientReference = z.string().max(128);

/**
 * One recipient of a bulk.
 */
export const zRecipient = z.object({
    To: zRecipientNumber,
    Reference: zClientReference.optional()
});

/**
 * Where the delivery callback is posted, an `http` or `https` address. A host that is an IP address must be one that
 * the gateway may call. The connection of an assistant can't set it.
 *
 */
export const zCallbackUrl = z.url().max(2048).regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\//);

/**
 * Another spelling of `CallbackUrl`. When both are given they must be equal.
 */
export const zCallbackUrlAlias = z.url().max(2048).regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\//);

/**
 * One message for one recipient.
 */
export const zSmsMessage = z.object({
    From: zSenderName,
    To: zRecipientNumber,
    Content: zMessageContent,
    Reference: zClientReference.optional(),
    CallbackUrl: zCallbackUrl.optional(),
    callbackUrl: zCallbackUrlAlias.optional()
});

/**
 * One text for many recipients.
 */
export const zBulkSmsMessage = z.object({
    From: zSenderName,
    Content: zMessageContent,
    CallbackUrl: zCallbackUrl.optional(),
    callbackUrl: zCallbackUrlAlias.optional(),
    Recipients: z.array(zRecipient).min(1).max(10000)
});

/**
 * Identifies the transaction. Tickets sort by the time they were made.
 */
export const zTicket = z.uuid();

/**
 * A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
 */
export const zInstant = z.iso.datetime({ offset: true }).regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);

/**
 * An amount in major units of the wallet's currency, with up to six decimals.
 */
export const zAmount = z.number();

/**
 * The currency of the wallet, by its ISO 4217 code.
 */
export const zCurrency = z.string().regex(/^[A-Z]{3}$/);

/**
 * The status of a transaction. New values may be added: treat any other than `pending` and `scheduled` as final.
 *
 */
export const zStatus = z.string();

/**
 * One status.
 */
export const zStatusFilter = z.enum([
    'pending',
    'success',
    'undelivered',
    'expired',
    'rejected',
    'failed',
    'scheduled',
    'cancelled'
]);

/**
 * The alphabet that the text needs.
 */
export const zEncoding = z.string();

/**
 * What became of one message of a send.
 */
export const zSendResult = z.object({
    Cost: z.number(),
    Destination: z.string(),
    Id: z.uuid(),
    Ticket: zTicket,
    ClientReference: z.string(),
    Status: zStatus
});

/**
 * A transaction and its state. No field is ever null.
 */
export const zTransaction = z.object({
    Type: z.string(),
    MessageId: z.uuid(),
    Status: zStatus,
    Content: z.string(),
    To: z.string(),
    From: z.string(),
    Reference: z.string(),
    Cost: z.number(),
    DateCreated: z.iso.datetime({ offset: true }),
    EffectedAt: z.iso.datetime({ offset: true }),
    BalanceBefore: z.number(),
    BalanceAfter: z.number()
});

/**
 * What a wallet can still spend.
 */
export const zBalance = z.object({
    balance: z.number(),
    currency: zCurrency,
    asOf: z.iso.datetime({ offset: true })
});

/**
 * What is posted to a callback URL.
 */
export const zCallbackPayload = z.object({
    ClientReference: z.string(),
    Ticket: zTicket,
    Destination: z.string(),
    Cost: z.number(),
    BalanceBefore: z.number(),
    BalanceAfter: z.number(),
    Status: zStatus
});

/**
 * Says which error it is. Stable; new codes may be added.
 */
export const zProblemCode = z.string();

/**
 * One field that breaks a rule.
 */
export const zFieldError = z.object({
    pointer: z.string(),
    code: zProblemCode,
    detail: z.string()
});

/**
 * An error, after RFC 9457.
 */
export const zProblem = z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: zProblemCode,
    requestId: z.string(),
    errors: z.array(zFieldError).optional()
});

/**
 * The `Cursor` of the next page. Absent on the last page.
 */
export const zNextCursor = z.string();

/**
 * One page of messages.
 */
export const zMessagePage = z.object({
    Items: z.array(zTransaction),
    NextCursor: zNextCursor.optional()
});

/**
 * One thing that happened to a message.
 */
export const zTimelineEntry = z.object({
    At: zInstant,
    Event: z.string(),
    Detail: z.string().optional()
});

/**
 * A message to estimate.
 */
export const zEstimateRequest = z.object({
    From: zSenderName.optional(),
    To: zRecipientNumber,
    Content: zMessageContent
});

/**
 * What a message would cost.
 */
export const zEstimate = z.object({
    Segments: z.int(),
    Encoding: zEncoding,
    UnicodeCause: z.string().optional(),
    UnitPrice: z.number(),
    Cost: z.number(),
    Currency: zCurrency,
    Country: z.string(),
    Network: z.string().optional()
});

/**
 * When to send, ISO 8601 with `Z` or an offset; in the future and at most 90 days ahead. Answers give it in UTC.
 */
export const zSendAt = z.iso.datetime({ offset: true });

/**
 * A message in full.
 */
export const zMessage = zTransaction.and(z.object({
    Segments: z.int(),
    Encoding: zEncoding,
    Country: z.string(),
    Network: z.string().optional(),
    FailureReason: z.string().optional(),
    SendAt: zSendAt.optional(),
    Timeline: z.array(zTimelineEntry)
}));

/**
 * A message and its time.
 */
export const zScheduleRequest = zSmsMessage.and(z.object({
    SendAt: zSendAt
}));

/**
 * What became of a message that was scheduled.
 */
export const zScheduleResult = zSendResult.and(z.object({
    SendAt: zSendAt
}));

/**
 * A message that waits for its time.
 */
export const zScheduledMessage = z.object({
    Ticket: zTicket,
    Status: zStatus,
    SendAt: zSendAt,
    From: z.string(),
    To: z.string(),
    Content: z.string(),
    Reference: z.string(),
    HeldCost: zAmount,
    DateCreated: zInstant
});

/**
 * One page of scheduled messages.
 */
export const zScheduledPage = z.object({
    Items: z.array(zScheduledMessage),
    NextCursor: zNextCursor.optional()
});

/**
 * A sender ID of the account.
 */
export const zSenderId = z.object({
    SenderId: z.string(),
    Status: z.string(),
    DateCreated: zInstant
});

/**
 * The sender IDs of an account.
 */
export const zSenderIdList = z.object({
    Items: z.array(zSenderId)
});

/**
 * The price for one network.
 */
export const zNetworkRate = z.object({
    Network: z.string(),
    Mcc: z.string(),
    Mnc: z.string(),
    Price: zAmount
});

/**
 * The prices for one country.
 */
export const zRates = z.object({
    Country: z.string(),
    Currency: zCurrency,
    DefaultPrice: z.number().optional(),
    Networks: z.array(zNetworkRate),
    Sample: z.boolean()
});

/**
 * The counts of one group, or of all.
 */
export const zInsightRow = z.object({
    Key: z.string(),
    Sent: z.int(),
    Delivered: z.int(),
    Failed: z.int(),
    Pending: z.int(),
    Spend: zAmount
});

/**
 * Deliveries and spend over a time.
 */
export const zDeliveryInsights = z.object({
    GroupBy: z.string(),
    DateFrom: zInstant,
    DateTo: zInstant,
    Currency: zCurrency,
    Groups: z.array(zInsightRow),
    Totals: zInsightRow
});

/**
 * Whether the callback waits for an attempt, was received, or was given up on.
 */
export const zCallbackState = z.enum([
    'pending',
    'delivered',
    'dead'
]);

/**
 * One attempt to deliver a callback.
 */
export const zCallbackAttempt = z.object({
    At: zInstant,
    HttpStatus: z.int().optional(),
    LatencyMs: z.int(),
    ErrorClass: z.string().optional(),
    Reply: z.string().optional()
});

/**
 * A callback and every attempt to deliver it.
 */
export const zCallback = z.object({
    Id: z.uuid(),
    Ticket: zTicket,
    Url: z.string(),
    State: zCallbackState,
    DateCreated: zInstant,
    NextAttemptAt: z.iso.datetime({ offset: true }).optional(),
    Attempts: z.array(zCallbackAttempt)
});

/**
 * One page of callbacks.
 */
export const zCallbackPage = z.object({
    Items: z.array(zCallback),
    NextCursor: zNextCursor.optional()
});

/**
 * Which callbacks to post again.
 */
export const zReplayRequest = z.object({
    Since: z.iso.datetime({ offset: true })
});

/**
 * How many callbacks are posted again.
 */
export const zReplayResult = z.object({
    Replayed: z.int()
});

/**
 * The `Ticket` of a send result.
 */
export const zTicket2 = z.string().min(1).max(64);

/**
 * The `Id` of a send result, or the `MessageId` of a transaction.
 */
export const zMessageId = z.string().min(1).max(64);

/**
 * The `Id` of a callback.
 */
export const zCallbackId = z.string().min(1).max(64);

/**
 * A country, by its two letters in ISO 3166-1.
 */
export const zCountry = z.string().regex(/^[A-Za-z]{2}$/);

/**
 * A key of your own making, 1 to 255 visible ASCII characters, that makes the request safe to repeat for 24 hours.
 * The same key and body answer with the stored response and `Idempotent-Replayed: true`.
 *
 */
export const zIdempotencyKey = z.string().regex(/^[!-~]{1,255}$/);

/**
 * Only what was created at this time or later.
 */
export const zDateFrom = z.iso.datetime({ offset: true });

/**
 * Only what was created before this time.
 */
export const zDateTo = z.iso.datetime({ offset: true });

/**
 * How many items a page may have.
 */
export const zLimit = z.int().gte(1).lte(200).default(50);

/**
 * Where to read on, the `NextCursor` of the page before.
 */
export const zCursor = z.string().min(1).max(512);

/**
 * The message.
 */
export const zSendSmsBody = zSmsMessage;

export const zSendSmsHeaders = z.object({
    'Idempotency-Key': z.string().regex(/^[!-~]{1,255}$/).optional()
});

/**
 * The text and its recipients.
 */
export const zSendBulkSmsBody = zBulkSmsMessage;

export const zSendBulkSmsHeaders = z.object({
    'Idempotency-Key': z.string().regex(/^[!-~]{1,255}$/).optional()
});

export const zGetTransactionStatusPath = z.object({
    ticket: z.string().min(1).max(64)
});

export const zSearchMessagesQuery = z.object({
    DateFrom: z.iso.datetime({ offset: true }).optional(),
    DateTo: z.iso.datetime({ offset: true }).optional(),
    Status: zStatusFilter.optional(),
    To: zRecipientNumber.optional(),
    From: zSenderName.optional(),
    Limit: z.int().gte(1).lte(200).optional().default(50),
    Cursor: z.string().min(1).max(512).optional()
});

export const zGetMessagePath = z.object({
    id: z.string().min(1).max(64)
});

/**
 * The message to estimate.
 */
export const zEstimateCostBody = zEstimateRequest;

export const zListScheduledSmsQuery = z.object({
    Limit: z.int().gte(1).lte(200).optional().default(50),
    Cursor: z.string().min(1).max(512).optional()
});

/**
 * The message and its time.
 */
export const zScheduleSmsBody = zScheduleRequest;

export const zScheduleSmsHeaders = z.object({
    'Idempotency-Key': z.string().regex(/^[!-~]{1,255}$/).optional()
});

export const zCancelScheduledSmsPath = z.object({
    ticket: z.string().min(1).max(64)
});

export const zGetRatesPath = z.object({
    country: z.string().regex(/^[A-Za-z]{2}$/)
});

export const zDeliveryInsightsQuery = z.object({
    GroupBy: z.enum(['network', 'day']),
    DateFrom: z.iso.datetime({ offset: true }).optional(),
    DateTo: z.iso.datetime({ offset: true }).optional()
});

export const zListCallbacksQuery = z.object({
    Ticket: zTicket.optional(),
    State: zCallbackState.optional(),
    Limit: z.int().gte(1).lte(200).optional().default(50),
    Cursor: z.string().min(1).max(512).optional()
});

export const zReplayCallbackPath = z.object({
    id: z.string().min(1).max(64)
});

/**
 * Since when.
 */
export const zReplayFailedCallbacksBody = zReplayRequest;
