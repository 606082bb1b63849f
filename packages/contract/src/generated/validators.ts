// Generated from openapi.yaml by `npm run generate`. Do not edit.

import * as z from 'zod';

/**
 * The sender name: 1 to 11 letters, digits and spaces with at least one letter and no space at either end, or
 * 3 to 15 digits. It must be an approved sender ID of the account.
 *
 */
export const zSenderName = z.string().min(1).max(15).regex(/^(?:(?=.{1,11}$)(?=.*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9 ]*[A-Za-z0-9])?|[0-9]{3,15})$/).register(z.globalRegistry, {
    description: 'The sender name: 1 to 11 letters, digits and spaces with at least one letter and no space at either end, or\n3 to 15 digits. It must be an approved sender ID of the account.\n'
});

/**
 * The recipient's number with its country code, in digits. A leading `+` and single blanks or hyphens between digits are taken too, as in `+233 24 123 4567`; answers and callbacks have the digits alone.
 */
export const zRecipientNumber = z.string().min(7).max(30).regex(/^\+?[1-9](?:[   ‐‑-]?[0-9]){6,14}$/).register(z.globalRegistry, {
    description: 'The recipient\'s number with its country code, in digits. A leading `+` and single blanks or hyphens between digits are taken too, as in `+233 24 123 4567`; answers and callbacks have the digits alone.'
});

/**
 * The text, at most 10 segments long. A segment holds 160 characters of the GSM alphabet (153 when there are
 * several), or 70 (67) when the text has a character outside it. Characters of the GSM extension table count as two.
 *
 */
export const zMessageContent = z.string().min(1).max(1530).register(z.globalRegistry, {
    description: 'The text, at most 10 segments long. A segment holds 160 characters of the GSM alphabet (153 when there are\nseveral), or 70 (67) when the text has a character outside it. Characters of the GSM extension table count as two.\n'
});

/**
 * Your own reference. It comes back in the results, the status and the callback.
 */
export const zClientReference = z.string().max(128).register(z.globalRegistry, {
    description: 'Your own reference. It comes back in the results, the status and the callback.'
});

/**
 * One recipient of a bulk.
 */
export const zRecipient = z.object({
    To: zRecipientNumber,
    Reference: zClientReference.optional()
}).register(z.globalRegistry, {
    description: 'One recipient of a bulk.'
});

/**
 * Your own reference, in full.
 */
export const zReferenceFilter = z.string().min(1).max(128).register(z.globalRegistry, {
    description: 'Your own reference, in full.'
});

/**
 * Where the delivery callback is posted, an `http` or `https` address. A host that is an IP address must be one that
 * the gateway may call. The connection of an assistant can't set it.
 *
 */
export const zCallbackUrl = z.url().max(2048).regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\//).register(z.globalRegistry, {
    description: 'Where the delivery callback is posted, an `http` or `https` address. A host that is an IP address must be one that\nthe gateway may call. The connection of an assistant can\'t set it.\n'
});

/**
 * Another spelling of `CallbackUrl`. When both are given they must be equal.
 */
export const zCallbackUrlAlias = z.url().max(2048).regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\//).register(z.globalRegistry, {
    description: 'Another spelling of `CallbackUrl`. When both are given they must be equal.'
});

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
}).register(z.globalRegistry, {
    description: 'One message for one recipient.'
});

/**
 * One text for many recipients.
 */
export const zBulkSmsMessage = z.object({
    From: zSenderName,
    Content: zMessageContent,
    CallbackUrl: zCallbackUrl.optional(),
    callbackUrl: zCallbackUrlAlias.optional(),
    Recipients: z.array(zRecipient).min(1).max(10000).register(z.globalRegistry, {
        description: 'One entry per recipient.'
    })
}).register(z.globalRegistry, {
    description: 'One text for many recipients.'
});

/**
 * Identifies the transaction. Tickets sort by the time they were made.
 */
export const zTicket = z.uuid().register(z.globalRegistry, {
    description: 'Identifies the transaction. Tickets sort by the time they were made.'
});

/**
 * A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
 */
export const zInstant = z.iso.datetime({ offset: true }).regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/).register(z.globalRegistry, {
    description: 'A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.'
});

/**
 * An amount in major units of the wallet's currency, with up to six decimals.
 */
export const zAmount = z.number().register(z.globalRegistry, {
    description: 'An amount in major units of the wallet\'s currency, with up to six decimals.'
});

/**
 * The currency of the wallet, by its ISO 4217 code.
 */
export const zCurrency = z.string().regex(/^[A-Z]{3}$/).register(z.globalRegistry, {
    description: 'The currency of the wallet, by its ISO 4217 code.'
});

/**
 * A status of a transaction; `success` is a delivered one. Any other than `pending` and `scheduled` is final.
 */
export const zKnownStatus = z.enum([
    'pending',
    'success',
    'undelivered',
    'expired',
    'rejected',
    'failed',
    'scheduled',
    'cancelled'
]).register(z.globalRegistry, {
    description: 'A status of a transaction; `success` is a delivered one. Any other than `pending` and `scheduled` is final.'
});

/**
 * The status of a transaction; `success` is a delivered one. Any other than `pending` and `scheduled` is final. New
 * values may be added.
 *
 */
export const zStatus = z.string().register(z.globalRegistry, {
    description: 'The status of a transaction; `success` is a delivered one. Any other than `pending` and `scheduled` is final. New\nvalues may be added.\n'
});

/**
 * The alphabet that the text needs.
 */
export const zEncoding = z.string().register(z.globalRegistry, {
    description: 'The alphabet that the text needs.'
});

/**
 * The result of sending one message.
 */
export const zSendResult = z.object({
    Cost: z.number().register(z.globalRegistry, {
        description: 'The charge so far, which is 0.0 at send time.'
    }),
    Destination: z.string().register(z.globalRegistry, {
        description: 'The recipient\'s number.'
    }),
    Id: z.uuid().register(z.globalRegistry, {
        description: 'Identifies the message; equal to `Ticket`.'
    }),
    Ticket: zTicket,
    ClientReference: z.string().register(z.globalRegistry, {
        description: 'The `Reference` of the request; empty when it had none.'
    }),
    Status: zStatus
}).register(z.globalRegistry, {
    description: 'The result of sending one message.'
});

/**
 * A transaction and its state. No field is ever null.
 */
export const zTransaction = z.object({
    Type: z.string().register(z.globalRegistry, {
        description: 'The kind of transaction.'
    }),
    MessageId: z.uuid().register(z.globalRegistry, {
        description: 'Identifies the message.'
    }),
    Status: zStatus,
    Content: z.string().register(z.globalRegistry, {
        description: 'The text of the message.'
    }),
    To: z.string().register(z.globalRegistry, {
        description: 'The recipient\'s number.'
    }),
    From: z.string().register(z.globalRegistry, {
        description: 'The sender name.'
    }),
    Reference: z.string().register(z.globalRegistry, {
        description: 'Your reference; empty when the send had none.'
    }),
    Cost: z.number().register(z.globalRegistry, {
        description: 'The charge. 0 until the message is delivered, and for good when it is not.'
    }),
    DateCreated: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'When the message was accepted, in UTC with milliseconds.'
    }),
    EffectedAt: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'When the transaction took effect, that is, when it became final; until then it equals `DateCreated`.'
    }),
    BalanceBefore: z.number().register(z.globalRegistry, {
        description: 'The wallet\'s posted balance before the transaction took effect.'
    }),
    BalanceAfter: z.number().register(z.globalRegistry, {
        description: 'The wallet\'s posted balance after it.'
    })
}).register(z.globalRegistry, {
    description: 'A transaction and its state. No field is ever null.'
});

/**
 * What a wallet can still spend.
 */
export const zBalance = z.object({
    balance: z.number().register(z.globalRegistry, {
        description: 'The balance that can be spent, what is held for messages under way already taken off.'
    }),
    currency: zCurrency,
    asOf: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'When the balance was read, in UTC with milliseconds.'
    })
}).register(z.globalRegistry, {
    description: 'What a wallet can still spend.'
});

/**
 * A change of a wallet's posted balance.
 */
export const zLedgerEntry = z.object({
    Seq: z.int().register(z.globalRegistry, {
        description: 'The entry\'s place in the wallet\'s ledger. The first is 1, and none is left out.'
    }),
    Kind: z.string().register(z.globalRegistry, {
        description: 'Whether money was added (`credit`) or charged for a message (`charge`).'
    }),
    Amount: z.number().register(z.globalRegistry, {
        description: 'How much was added or charged, never negative.'
    }),
    BalanceBefore: z.number().register(z.globalRegistry, {
        description: 'The wallet\'s posted balance before the entry, what is held included.'
    }),
    BalanceAfter: z.number().register(z.globalRegistry, {
        description: 'The wallet\'s posted balance after the entry, what is held included.'
    }),
    Ticket: z.uuid().register(z.globalRegistry, {
        description: 'The message that was charged for. Absent when money was added.'
    }).optional(),
    At: zInstant
}).register(z.globalRegistry, {
    description: 'A change of a wallet\'s posted balance.'
});

/**
 * What is posted to a callback URL.
 */
export const zCallbackPayload = z.object({
    ClientReference: z.string().register(z.globalRegistry, {
        description: 'The `Reference` that was sent with the message; empty when it had none.'
    }),
    Ticket: zTicket,
    Destination: z.string().register(z.globalRegistry, {
        description: 'The recipient\'s number.'
    }),
    Cost: z.number().register(z.globalRegistry, {
        description: 'The charge applied to the wallet; 0 when the message was not delivered.'
    }),
    BalanceBefore: z.number().register(z.globalRegistry, {
        description: 'The wallet\'s posted balance before the transaction.'
    }),
    BalanceAfter: z.number().register(z.globalRegistry, {
        description: 'The wallet\'s posted balance after the transaction.'
    }),
    Status: zStatus
}).register(z.globalRegistry, {
    description: 'What is posted to a callback URL.'
});

/**
 * Says which error it is. Stable; new codes may be added.
 */
export const zProblemCode = z.string().register(z.globalRegistry, {
    description: 'Says which error it is. Stable; new codes may be added.'
});

/**
 * One field that breaks a rule.
 */
export const zFieldError = z.object({
    pointer: z.string().register(z.globalRegistry, {
        description: 'Where the field is, as a JSON pointer; for a parameter, `/` and its name.'
    }),
    code: zProblemCode,
    detail: z.string().register(z.globalRegistry, {
        description: 'What was expected and what came.'
    })
}).register(z.globalRegistry, {
    description: 'One field that breaks a rule.'
});

/**
 * An error, after RFC 9457.
 */
export const zProblem = z.object({
    type: z.string().register(z.globalRegistry, {
        description: 'Always `about:blank`; branch on `code`.'
    }),
    title: z.string().register(z.globalRegistry, {
        description: 'The error in a few words, the same for every occurrence of its code.'
    }),
    status: z.int().register(z.globalRegistry, {
        description: 'The HTTP status.'
    }),
    detail: z.string().register(z.globalRegistry, {
        description: 'What was expected, what came, and what to do.'
    }),
    code: zProblemCode,
    requestId: z.string().register(z.globalRegistry, {
        description: 'Names the request in the gateway\'s logs.'
    }),
    errors: z.array(zFieldError).register(z.globalRegistry, {
        description: 'Every field that breaks a rule.'
    }).optional()
}).register(z.globalRegistry, {
    description: 'An error, after RFC 9457.'
});

/**
 * The `Cursor` of the next page. Absent on the last page.
 */
export const zNextCursor = z.string().register(z.globalRegistry, {
    description: 'The `Cursor` of the next page. Absent on the last page.'
});

/**
 * One page of a wallet's ledger.
 */
export const zLedgerPage = z.object({
    Items: z.array(zLedgerEntry).register(z.globalRegistry, {
        description: 'The entries, newest first.'
    }),
    NextCursor: zNextCursor.optional()
}).register(z.globalRegistry, {
    description: 'One page of a wallet\'s ledger.'
});

/**
 * Who sent a message. Absent for messages from before this was kept.
 */
export const zSentBy = z.object({
    Kind: z.string().register(z.globalRegistry, {
        description: 'An API client, a person on a page, or an assistant. New values may be added.'
    }),
    Name: z.string().register(z.globalRegistry, {
        description: 'The client ID, the person\'s e-mail address, or the name that the assistant gave itself, which anybody can\nchoose. Absent when the person was forgotten.\n'
    }).optional()
}).register(z.globalRegistry, {
    description: 'Who sent a message. Absent for messages from before this was kept.'
});

/**
 * A transaction, and who sent it.
 */
export const zFoundMessage = zTransaction.and(z.object({
    SentBy: zSentBy.optional()
}).register(z.globalRegistry, {
    description: 'What the status of a transaction leaves out.'
}));

/**
 * One page of messages.
 */
export const zMessagePage = z.object({
    Items: z.array(zFoundMessage).register(z.globalRegistry, {
        description: 'The messages, newest first.'
    }),
    NextCursor: zNextCursor.optional()
}).register(z.globalRegistry, {
    description: 'One page of messages.'
});

/**
 * One thing that happened to a message.
 */
export const zTimelineEntry = z.object({
    At: zInstant,
    Event: z.string().register(z.globalRegistry, {
        description: 'What happened. New values may be added.'
    }),
    Detail: z.string().register(z.globalRegistry, {
        description: 'More about it, for people to read.'
    }).optional()
}).register(z.globalRegistry, {
    description: 'One thing that happened to a message.'
});

/**
 * What the limits of the caller's connection leave. Only for an access token that may send.
 */
export const zAllowance = z.object({
    Spend: z.number().register(z.globalRegistry, {
        description: 'How much it may still spend today, in UTC.'
    }),
    Messages: z.int().register(z.globalRegistry, {
        description: 'How many messages it may still send today, in UTC. Absent when their number has no limit.'
    }).optional(),
    Recipient: z.boolean().register(z.globalRegistry, {
        description: 'Whether it may send to this recipient.'
    })
}).register(z.globalRegistry, {
    description: 'What the limits of the caller\'s connection leave. Only for an access token that may send.'
});

/**
 * What a message would cost.
 */
export const zEstimate = z.object({
    Segments: z.int().register(z.globalRegistry, {
        description: 'How many segments the text takes.'
    }),
    Encoding: zEncoding,
    UnicodeCause: z.string().register(z.globalRegistry, {
        description: 'The first character that is not in the GSM alphabet. Absent when all are.'
    }).optional(),
    UnitPrice: z.number().register(z.globalRegistry, {
        description: 'The price of one segment.'
    }),
    Cost: z.number().register(z.globalRegistry, {
        description: 'The price of the message, segments times unit price.'
    }),
    Currency: zCurrency,
    Country: z.string().register(z.globalRegistry, {
        description: 'The recipient\'s country, by its two letters in ISO 3166-1.'
    }),
    Network: z.string().register(z.globalRegistry, {
        description: 'The recipient\'s network, when the number tells.'
    }).optional(),
    Allowance: zAllowance.optional()
}).register(z.globalRegistry, {
    description: 'What a message would cost.'
});

/**
 * When to send, ISO 8601 with `Z` or an offset; in the future and at most 90 days ahead. Answers give it in UTC.
 */
export const zSendAt = z.iso.datetime({ offset: true }).register(z.globalRegistry, {
    description: 'When to send, ISO 8601 with `Z` or an offset; in the future and at most 90 days ahead. Answers give it in UTC.'
});

/**
 * A message in full.
 */
export const zMessage = zTransaction.and(z.object({
    SentBy: zSentBy.optional(),
    Segments: z.int().register(z.globalRegistry, {
        description: 'How many segments the text takes.'
    }),
    Encoding: zEncoding,
    Country: z.string().register(z.globalRegistry, {
        description: 'The recipient\'s country, by its two letters in ISO 3166-1.'
    }),
    Network: z.string().register(z.globalRegistry, {
        description: 'The recipient\'s network, when the number tells. Numbers may have moved to another since.'
    }).optional(),
    FailureReason: z.string().register(z.globalRegistry, {
        description: 'Why the message was not delivered, in a sentence of the gateway\'s. Absent while it is not final, and when it was delivered or cancelled.'
    }).optional(),
    SendAt: zSendAt.optional(),
    Timeline: z.array(zTimelineEntry).register(z.globalRegistry, {
        description: 'What happened to the message, in order.'
    })
}).register(z.globalRegistry, {
    description: 'What a transaction does not say.'
}));

/**
 * A message to estimate.
 */
export const zEstimateRequest = z.object({
    From: zSenderName.optional(),
    To: zRecipientNumber,
    Content: zMessageContent,
    SendAt: zSendAt.optional()
}).register(z.globalRegistry, {
    description: 'A message to estimate.'
});

/**
 * A message and its time.
 */
export const zScheduleRequest = zSmsMessage.and(z.object({
    SendAt: zSendAt
}).register(z.globalRegistry, {
    description: 'When to send it.'
}));

/**
 * The result of scheduling one message.
 */
export const zScheduleResult = zSendResult.and(z.object({
    SendAt: zSendAt
}).register(z.globalRegistry, {
    description: 'When it will be sent.'
}));

/**
 * A message that waits for its time.
 */
export const zScheduledMessage = z.object({
    Ticket: zTicket,
    Status: zStatus,
    SendAt: zSendAt,
    From: z.string().register(z.globalRegistry, {
        description: 'The sender name.'
    }),
    To: z.string().register(z.globalRegistry, {
        description: 'The recipient\'s number.'
    }),
    Content: z.string().register(z.globalRegistry, {
        description: 'The text of the message.'
    }),
    Reference: z.string().register(z.globalRegistry, {
        description: 'Your reference; empty when the send had none.'
    }),
    HeldCost: zAmount,
    DateCreated: zInstant
}).register(z.globalRegistry, {
    description: 'A message that waits for its time.'
});

/**
 * One page of scheduled messages.
 */
export const zScheduledPage = z.object({
    Items: z.array(zScheduledMessage).register(z.globalRegistry, {
        description: 'The messages, the next one due first.'
    }),
    NextCursor: zNextCursor.optional()
}).register(z.globalRegistry, {
    description: 'One page of scheduled messages.'
});

/**
 * A sender ID of the account.
 */
export const zSenderId = z.object({
    SenderId: z.string().register(z.globalRegistry, {
        description: 'The sender name.'
    }),
    Status: z.enum([
        'approved',
        'pending',
        'rejected'
    ]).register(z.globalRegistry, {
        description: 'Whether it may send.'
    }),
    DateCreated: zInstant
}).register(z.globalRegistry, {
    description: 'A sender ID of the account.'
});

/**
 * The sender IDs of an account.
 */
export const zSenderIdList = z.object({
    Items: z.array(zSenderId).register(z.globalRegistry, {
        description: 'Every sender ID of the account.'
    })
}).register(z.globalRegistry, {
    description: 'The sender IDs of an account.'
});

/**
 * A sender ID to ask for.
 */
export const zSenderIdRequest = z.object({
    SenderId: z.string().min(1).max(15).regex(/^(?:(?=.{1,11}$)(?=.*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9 ]*[A-Za-z0-9])?|[0-9]{3,15})$/).register(z.globalRegistry, {
        description: 'The sender name: 1 to 11 letters, digits and spaces with at least one letter and no space at either end, or\n3 to 15 digits.\n'
    })
}).register(z.globalRegistry, {
    description: 'A sender ID to ask for.'
});

/**
 * A key of the account, without its secret.
 */
export const zKey = z.object({
    Id: z.string().register(z.globalRegistry, {
        description: 'Identifies the key.'
    }),
    Kind: z.string().register(z.globalRegistry, {
        description: 'What the key is. New values may be added.'
    }),
    DateCreated: zInstant,
    LastUsed: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'When it was last used, to the minute. Absent when it never was.'
    }).optional(),
    ExpiresAt: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'When an old key ends. Absent while it is the current one.'
    }).optional()
}).register(z.globalRegistry, {
    description: 'A key of the account, without its secret.'
});

/**
 * The keys of an account that work.
 */
export const zKeyList = z.object({
    Items: z.array(zKey).register(z.globalRegistry, {
        description: 'Every key that works, the current one of each kind first.'
    })
}).register(z.globalRegistry, {
    description: 'The keys of an account that work.'
});

/**
 * How to replace a key.
 */
export const zRotateKeyRequest = z.object({
    KeepOldFor: z.enum([
        'PT0S',
        'PT1H',
        'P1D',
        'P7D'
    ]).register(z.globalRegistry, {
        description: 'For how long the old secret works beside the new one, as an ISO 8601 duration: not at all, an hour, a day or a\nweek.\n'
    })
}).register(z.globalRegistry, {
    description: 'How to replace a key.'
});

/**
 * A new key, with its secret.
 */
export const zRotatedKey = zKey.and(z.object({
    Secret: z.string().register(z.globalRegistry, {
        description: 'The new secret. It is shown this once.'
    }),
    OldExpiresAt: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'When the old secret ends.'
    })
}).register(z.globalRegistry, {
    description: 'What only this answer says.'
}));

/**
 * The price for one network.
 */
export const zNetworkRate = z.object({
    Network: z.string().register(z.globalRegistry, {
        description: 'The network\'s name.'
    }),
    Mcc: z.string().register(z.globalRegistry, {
        description: 'Its mobile country code.'
    }),
    Mnc: z.string().register(z.globalRegistry, {
        description: 'Its mobile network code.'
    }),
    Price: zAmount
}).register(z.globalRegistry, {
    description: 'The price for one network.'
});

/**
 * The prices for one country.
 */
export const zRates = z.object({
    Country: z.string().register(z.globalRegistry, {
        description: 'The country, by its two letters in ISO 3166-1.'
    }),
    Currency: zCurrency,
    DefaultPrice: z.number().register(z.globalRegistry, {
        description: 'The price of one segment to any network without a price of its own. Absent when there is none.'
    }).optional(),
    Networks: z.array(zNetworkRate).register(z.globalRegistry, {
        description: 'The networks that have a price of their own.'
    }),
    Sample: z.boolean().register(z.globalRegistry, {
        description: 'True while the gateway runs on its built-in sample of prices.'
    })
}).register(z.globalRegistry, {
    description: 'The prices for one country.'
});

/**
 * The counts of one group, or of all.
 */
export const zInsightRow = z.object({
    Key: z.string().register(z.globalRegistry, {
        description: 'The group, a country and its network, or a day in UTC; `total` for all.'
    }),
    Sent: z.int().register(z.globalRegistry, {
        description: 'How many messages were sent.'
    }),
    Delivered: z.int().register(z.globalRegistry, {
        description: 'How many were delivered.'
    }),
    Failed: z.int().register(z.globalRegistry, {
        description: 'How many were not (`undelivered`, `expired`, `rejected` and `failed`).'
    }),
    Pending: z.int().register(z.globalRegistry, {
        description: 'How many are not final yet.'
    }),
    Spend: zAmount
}).register(z.globalRegistry, {
    description: 'The counts of one group, or of all.'
});

/**
 * Deliveries and spend over a time.
 */
export const zDeliveryInsights = z.object({
    GroupBy: z.string().register(z.globalRegistry, {
        description: 'What a row stands for.'
    }),
    DateFrom: zInstant,
    DateTo: zInstant,
    Currency: zCurrency,
    Groups: z.array(zInsightRow).register(z.globalRegistry, {
        description: 'One row per group.'
    }),
    Totals: zInsightRow
}).register(z.globalRegistry, {
    description: 'Deliveries and spend over a time.'
});

/**
 * Whether the callback waits for an attempt, was received, or was given up on.
 */
export const zCallbackState = z.enum([
    'pending',
    'delivered',
    'dead'
]).register(z.globalRegistry, {
    description: 'Whether the callback waits for an attempt, was received, or was given up on.'
});

/**
 * One attempt to deliver a callback.
 */
export const zCallbackAttempt = z.object({
    At: zInstant,
    HttpStatus: z.int().register(z.globalRegistry, {
        description: 'The status that the receiver answered with. Absent when it did not answer.'
    }).optional(),
    LatencyMs: z.int().register(z.globalRegistry, {
        description: 'How long the attempt took, in milliseconds.'
    }),
    ErrorClass: z.string().register(z.globalRegistry, {
        description: 'What went wrong. Absent when nothing did.'
    }).optional(),
    Reply: z.string().register(z.globalRegistry, {
        description: 'The first bytes of the answer.'
    }).optional()
}).register(z.globalRegistry, {
    description: 'One attempt to deliver a callback.'
});

/**
 * A callback and every attempt to deliver it.
 */
export const zCallback = z.object({
    Id: z.uuid().register(z.globalRegistry, {
        description: 'Identifies the callback; the same as its `webhook-id`.'
    }),
    Ticket: zTicket,
    Url: z.string().register(z.globalRegistry, {
        description: 'Where it is posted.'
    }),
    State: zCallbackState,
    DateCreated: zInstant,
    NextAttemptAt: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'When it is tried next. Absent when it is not.'
    }).optional(),
    Attempts: z.array(zCallbackAttempt).register(z.globalRegistry, {
        description: 'The newest 20 attempts, in order.'
    })
}).register(z.globalRegistry, {
    description: 'A callback and every attempt to deliver it.'
});

/**
 * One page of callbacks.
 */
export const zCallbackPage = z.object({
    Items: z.array(zCallback).register(z.globalRegistry, {
        description: 'The callbacks, newest first.'
    }),
    NextCursor: zNextCursor.optional()
}).register(z.globalRegistry, {
    description: 'One page of callbacks.'
});

/**
 * Which callbacks to post again.
 */
export const zReplayRequest = z.object({
    Since: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'Callbacks created at this time or later, ISO 8601 with `Z` or an offset.'
    })
}).register(z.globalRegistry, {
    description: 'Which callbacks to post again.'
});

/**
 * How many callbacks are posted again.
 */
export const zReplayResult = z.object({
    Replayed: z.int().register(z.globalRegistry, {
        description: 'How many callbacks were queued.'
    }),
    Skipped: z.int().register(z.globalRegistry, {
        description: 'How many were left, because they were posted again 10 times on this day in UTC.'
    })
}).register(z.globalRegistry, {
    description: 'How many callbacks are posted again.'
});

/**
 * The `Ticket` of a send result.
 */
export const zTicket2 = z.string().min(1).max(64).register(z.globalRegistry, {
    description: 'The `Ticket` of a send result.'
});

/**
 * The `Id` of a send result, or the `MessageId` of a transaction.
 */
export const zMessageId = z.string().min(1).max(64).register(z.globalRegistry, {
    description: 'The `Id` of a send result, or the `MessageId` of a transaction.'
});

/**
 * The `Id` of a key.
 */
export const zKeyId = z.string().min(1).max(64).register(z.globalRegistry, {
    description: 'The `Id` of a key.'
});

/**
 * The `Id` of a callback.
 */
export const zCallbackId = z.string().min(1).max(64).register(z.globalRegistry, {
    description: 'The `Id` of a callback.'
});

/**
 * A country, by its two letters in ISO 3166-1.
 */
export const zCountry = z.string().regex(/^[A-Za-z]{2}$/).register(z.globalRegistry, {
    description: 'A country, by its two letters in ISO 3166-1.'
});

/**
 * A key of your own making, 1 to 255 visible ASCII characters, that makes the request safe to repeat for 24 hours.
 * The same key and body answer with the stored response and `Idempotent-Replayed: true`. Later the key is new
 * again, and a repeat is another message.
 *
 */
export const zIdempotencyKey = z.string().regex(/^[!-~]{1,255}$/).register(z.globalRegistry, {
    description: 'A key of your own making, 1 to 255 visible ASCII characters, that makes the request safe to repeat for 24 hours.\nThe same key and body answer with the stored response and `Idempotent-Replayed: true`. Later the key is new\nagain, and a repeat is another message.\n'
});

/**
 * Only what was created at this time or later.
 */
export const zDateFrom = z.iso.datetime({ offset: true }).register(z.globalRegistry, {
    description: 'Only what was created at this time or later.'
});

/**
 * Only what was created before this time.
 */
export const zDateTo = z.iso.datetime({ offset: true }).register(z.globalRegistry, {
    description: 'Only what was created before this time.'
});

/**
 * How many items a page may have.
 */
export const zLimit = z.int().gte(1).lte(200).register(z.globalRegistry, {
    description: 'How many items a page may have.'
}).default(50);

/**
 * Where to read on, the `NextCursor` of the page before.
 */
export const zCursor = z.string().min(1).max(512).register(z.globalRegistry, {
    description: 'Where to read on, the `NextCursor` of the page before.'
});

/**
 * The message.
 */
export const zSendSmsBody = zSmsMessage;

export const zSendSmsHeaders = z.object({
    'Idempotency-Key': z.string().regex(/^[!-~]{1,255}$/).register(z.globalRegistry, {
        description: 'A key of your own making, 1 to 255 visible ASCII characters, that makes the request safe to repeat for 24 hours.\nThe same key and body answer with the stored response and `Idempotent-Replayed: true`. Later the key is new\nagain, and a repeat is another message.\n'
    }).optional()
});

/**
 * The text and its recipients.
 */
export const zSendBulkSmsBody = zBulkSmsMessage;

export const zSendBulkSmsHeaders = z.object({
    'Idempotency-Key': z.string().regex(/^[!-~]{1,255}$/).register(z.globalRegistry, {
        description: 'A key of your own making, 1 to 255 visible ASCII characters, that makes the request safe to repeat for 24 hours.\nThe same key and body answer with the stored response and `Idempotent-Replayed: true`. Later the key is new\nagain, and a repeat is another message.\n'
    }).optional()
});

export const zGetTransactionStatusPath = z.object({
    ticket: z.string().min(1).max(64).register(z.globalRegistry, {
        description: 'The `Ticket` of a send result.'
    })
});

export const zListLedgerQuery = z.object({
    DateFrom: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'Only what was created at this time or later.'
    }).optional(),
    DateTo: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'Only what was created before this time.'
    }).optional(),
    Limit: z.int().gte(1).lte(200).register(z.globalRegistry, {
        description: 'How many items a page may have.'
    }).optional().default(50),
    Cursor: z.string().min(1).max(512).register(z.globalRegistry, {
        description: 'Where to read on, the `NextCursor` of the page before.'
    }).optional()
});

export const zSearchMessagesQuery = z.object({
    DateFrom: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'Only what was created at this time or later.'
    }).optional(),
    DateTo: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'Only what was created before this time.'
    }).optional(),
    Status: zKnownStatus.optional(),
    To: zRecipientNumber.optional(),
    From: zSenderName.optional(),
    Reference: zReferenceFilter.optional(),
    SentBy: z.enum([
        'api',
        'person',
        'assistant'
    ]).register(z.globalRegistry, {
        description: 'Only messages that an API client, a person on a page, or an assistant sent. Looks through a bounded number of\nmessages for each page, so a page may have fewer than `Limit`, or none, and still name a `Cursor`.\n'
    }).optional(),
    Limit: z.int().gte(1).lte(200).register(z.globalRegistry, {
        description: 'How many items a page may have.'
    }).optional().default(50),
    Cursor: z.string().min(1).max(512).register(z.globalRegistry, {
        description: 'Where to read on, the `NextCursor` of the page before.'
    }).optional()
});

export const zGetMessagePath = z.object({
    id: z.string().min(1).max(64).register(z.globalRegistry, {
        description: 'The `Id` of a send result, or the `MessageId` of a transaction.'
    })
});

/**
 * The message to estimate.
 */
export const zEstimateCostBody = zEstimateRequest;

export const zListScheduledSmsQuery = z.object({
    Limit: z.int().gte(1).lte(200).register(z.globalRegistry, {
        description: 'How many items a page may have.'
    }).optional().default(50),
    Cursor: z.string().min(1).max(512).register(z.globalRegistry, {
        description: 'Where to read on, the `NextCursor` of the page before.'
    }).optional()
});

/**
 * The message and its time.
 */
export const zScheduleSmsBody = zScheduleRequest;

export const zScheduleSmsHeaders = z.object({
    'Idempotency-Key': z.string().regex(/^[!-~]{1,255}$/).register(z.globalRegistry, {
        description: 'A key of your own making, 1 to 255 visible ASCII characters, that makes the request safe to repeat for 24 hours.\nThe same key and body answer with the stored response and `Idempotent-Replayed: true`. Later the key is new\nagain, and a repeat is another message.\n'
    }).optional()
});

export const zCancelScheduledSmsPath = z.object({
    ticket: z.string().min(1).max(64).register(z.globalRegistry, {
        description: 'The `Ticket` of a send result.'
    })
});

/**
 * Which sender ID.
 */
export const zRequestSenderIdBody = zSenderIdRequest;

/**
 * For how long the old secret works.
 */
export const zRotateKeyBody = zRotateKeyRequest;

export const zRotateKeyPath = z.object({
    id: z.string().min(1).max(64).register(z.globalRegistry, {
        description: 'The `Id` of a key.'
    })
});

export const zGetRatesPath = z.object({
    country: z.string().regex(/^[A-Za-z]{2}$/).register(z.globalRegistry, {
        description: 'A country, by its two letters in ISO 3166-1.'
    })
});

export const zDeliveryInsightsQuery = z.object({
    GroupBy: z.enum(['network', 'day']).register(z.globalRegistry, {
        description: 'One row per recipient network, or one per day.'
    }),
    DateFrom: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'Only what was created at this time or later.'
    }).optional(),
    DateTo: z.iso.datetime({ offset: true }).register(z.globalRegistry, {
        description: 'Only what was created before this time.'
    }).optional()
});

export const zListCallbacksQuery = z.object({
    Ticket: zTicket.optional(),
    State: zCallbackState.optional(),
    Limit: z.int().gte(1).lte(200).register(z.globalRegistry, {
        description: 'How many items a page may have.'
    }).optional().default(50),
    Cursor: z.string().min(1).max(512).register(z.globalRegistry, {
        description: 'Where to read on, the `NextCursor` of the page before.'
    }).optional()
});

export const zReplayCallbackPath = z.object({
    id: z.string().min(1).max(64).register(z.globalRegistry, {
        description: 'The `Id` of a callback.'
    })
});

/**
 * Since when.
 */
export const zReplayFailedCallbacksBody = zReplayRequest;
