// Generated from openapi.yaml by `npm run generate`. Do not edit.
export interface paths {
    "/v1/messages/sms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one SMS
         * @description Accepts one message for one recipient. Its price is held on the wallet before the answer is sent; the charge
         *     is posted when the message is delivered and released when it is not. That is why `Cost` is `0.0` here.
         *     A `SendAt` is refused (`invalid_send_at`): it belongs to `POST /v1/messages/sms/scheduled`.
         */
        post: operations["sendSms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/sms/bulk/otm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one text to many recipients
         * @description Accepts one text for up to 10,000 recipients, each with a reference of its own. All or nothing: if one entry
         *     is invalid, or the wallet does not hold enough for all of them, no message is accepted. The answer has one
         *     result per recipient, in the order of the request. A request body may be up to 2 MiB. A `SendAt` is refused
         *     (`invalid_send_at`): it belongs to `POST /v1/messages/sms/scheduled`.
         */
        post: operations["sendBulkSms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions/{ticket}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the status of a transaction
         * @description Returns the status and the details of a transaction of your account. While it is pending, `Cost` is 0,
         *     `EffectedAt` equals `DateCreated` and both balances are the same. No field is ever null.
         */
        get: operations["getTransactionStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the wallet's balance
         * @description Returns what the wallet can still spend, what is held for messages under way already taken off.
         */
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the wallet's ledger
         * @description Returns what was added to the caller's wallet and what was charged, newest first. Each entry's `BalanceBefore` is
         *     the `BalanceAfter` of the entry that follows it in the list. A price that is held, or released because the
         *     message was not delivered, has no entry: it never left the posted balance.
         */
        get: operations["listLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the messages of the account
         * @description Returns the messages of the caller's wallet, newest first. Filters combine: a message must match all of them.
         *     To read on, repeat the request with the `Cursor` that the last page named; paging neither skips nor repeats a
         *     message while new ones arrive. While many messages are under way, a page may have fewer messages than `Limit`,
         *     or none, and still name a `Cursor`: read on until none is named.
         */
        get: operations["searchMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one message in full
         * @description Returns the transaction of a message together with its segments, its encoding, the recipient's network, why it
         *     failed (when it did), and what happened to it, step by step.
         */
        get: operations["getMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/sms/estimate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Estimate the cost of a message
         * @description Says what a message would cost, by the same rules that charge it, without sending it: how many segments the text
         *     takes, in which encoding, and the price of each. When one character made the text need UCS-2, `UnicodeCause` is that
         *     character; leaving it out may halve the price. `From` and `SendAt` are not needed for the price: when they are
         *     given, they are checked as a send checks them.
         */
        post: operations["estimateCost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/sms/scheduled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the scheduled messages
         * @description Returns the messages of the caller's wallet that still wait for their time, the next one due first.
         */
        get: operations["listScheduledSms"];
        put?: never;
        /**
         * Schedule one SMS
         * @description Accepts one message that is sent at `SendAt`, never before it. `SendAt` may carry any UTC offset and lies in the
         *     future, at most 90 days ahead. The price is held now, and released if the message is cancelled.
         */
        post: operations["scheduleSms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/sms/scheduled/{ticket}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel a scheduled message
         * @description Cancels a message before its time and releases its price. A message whose time has come, or that was never
         *     scheduled, can't be cancelled (`not_cancellable`); cancelling a cancelled one again answers the same. An assistant's connection can
         *     cancel only what it scheduled itself (`scheduled_elsewhere`). Its limits count what was accepted on a day,
         *     cancelled or not.
         */
        delete: operations["cancelScheduledSms"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/sender-ids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sender IDs of the account
         * @description Returns every sender ID that was asked for on the account and whether it is approved. Only approved ones can send.
         */
        get: operations["listSenderIds"];
        put?: never;
        /**
         * Ask for a sender ID
         * @description Asks the operator to approve another sender ID. It is `pending` until the operator decides, and cannot send before.
         *     Asking again for one that the account has answers how far it got. At most 20 may wait at a time (`too_many`). An
         *     assistant's access token does not open this operation.
         */
        post: operations["requestSenderId"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys
         * @description Returns the keys that work, without their secrets: the client secret and the wallet token of the request, and the
         *     callback secret of the account. Of each kind the current key comes first, then old ones that have not ended yet. An
         *     assistant's access token does not open this operation.
         */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a key
         * @description Makes a new secret for a current key, and shows it once, in this answer. The old one works beside it for as long as
         *     you choose, so that programs can be changed first; callbacks carry the signatures of both. No secret is stored
         *     that could be shown again, so the operation takes no idempotency key: a repeat is refused (`key_not_current`), and
         *     makes no second secret. If an answer is lost, list the keys and replace the current one. At most three old keys of
         *     a kind may work at a time (`too_many`). An assistant's access token does not open this operation.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rates/{country}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the prices for a country
         * @description Returns what one segment costs to a country, in the wallet's currency: the price for any network, and the networks
         *     that have one of their own.
         */
        get: operations["getRates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/insights/delivery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count deliveries and spend
         * @description Counts what was sent, delivered and failed, and what it cost, grouped by the recipient's network or by day (UTC).
         *     Messages count at their `DateCreated`; scheduled and cancelled ones do not count. In every row, `Sent` is
         *     `Delivered` + `Failed` + `Pending`. Without `DateTo` the range ends now; without `DateFrom` it is 30 days long.
         */
        get: operations["deliveryInsights"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/callbacks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List callbacks and their attempts
         * @description Returns the callbacks of the caller's wallet, newest first, with every attempt that was made to deliver them.
         */
        get: operations["listCallbacks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/callbacks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post one callback again
         * @description Posts a callback again, at once, whatever its state: the same identifier and the same bytes, newly signed. If it
         *     fails, it is retried like a new one. A callback is posted again at most 10 times on a day in UTC (`too_many`).
         */
        post: operations["replayCallback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/callbacks/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post every failed callback again
         * @description Posts again, at once, every callback created since a time that was given up on (`dead`) or that waits for a later
         *     attempt (`pending`), each with a new plan of attempts. Call it when your receiver works again. A callback whose
         *     attempt is due or under way is left as it is. One that was posted again 10 times on this day in UTC is skipped;
         *     `Skipped` counts them.
         */
        post: operations["replayFailedCallbacks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description One message for one recipient. */
        SmsMessage: {
            From: components["schemas"]["SenderName"];
            To: components["schemas"]["RecipientNumber"];
            Content: components["schemas"]["MessageContent"];
            Reference?: components["schemas"]["ClientReference"];
            CallbackUrl?: components["schemas"]["CallbackUrl"];
            callbackUrl?: components["schemas"]["CallbackUrlAlias"];
        };
        /** @description One text for many recipients. */
        BulkSmsMessage: {
            From: components["schemas"]["SenderName"];
            Content: components["schemas"]["MessageContent"];
            CallbackUrl?: components["schemas"]["CallbackUrl"];
            callbackUrl?: components["schemas"]["CallbackUrlAlias"];
            /** @description One entry per recipient. */
            Recipients: components["schemas"]["Recipient"][];
        };
        /** @description One recipient of a bulk. */
        Recipient: {
            To: components["schemas"]["RecipientNumber"];
            Reference?: components["schemas"]["ClientReference"];
        };
        /**
         * @description The sender name: 1 to 11 letters, digits and spaces with at least one letter and no space at either end, or
         *     3 to 15 digits. It must be an approved sender ID of the account.
         * @example WIGWAG
         */
        SenderName: string;
        /**
         * @description The recipient's number with its country code, in digits. A leading `+` and single blanks or hyphens between digits are taken too, as in `+233 24 123 4567`; answers and callbacks have the digits alone.
         * @example 233241234567
         */
        RecipientNumber: string;
        /**
         * @description The text, at most 10 segments long. A segment holds 160 characters of the GSM alphabet (153 when there are
         *     several), or 70 (67) when the text has a character outside it. Characters of the GSM extension table count as two.
         * @example Your order 1042 is on its way.
         */
        MessageContent: string;
        /**
         * @description Your own reference. It comes back in the results, the status and the callback.
         * @example order-1042
         */
        ClientReference: string;
        /**
         * @description Your own reference, in full.
         * @example order-1042
         */
        ReferenceFilter: string;
        /**
         * Format: uri
         * @description Where the delivery callback is posted, an `http` or `https` address. A host that is an IP address must be one that
         *     the gateway may call. The connection of an assistant can't set it.
         * @example https://shop.example/callbacks/sms
         */
        CallbackUrl: string;
        /**
         * Format: uri
         * @description Another spelling of `CallbackUrl`. When both are given they must be equal.
         * @example https://shop.example/callbacks/sms
         */
        CallbackUrlAlias: string;
        /**
         * Format: uuid
         * @description Identifies the transaction. Tickets sort by the time they were made.
         * @example 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f
         */
        Ticket: string;
        /**
         * Format: date-time
         * @description A time in UTC, ISO 8601 with milliseconds and a trailing `Z`.
         * @example 2026-11-20T09:30:00.125Z
         */
        Instant: string;
        /**
         * @description An amount in major units of the wallet's currency, with up to six decimals.
         * @example 0.045
         */
        Amount: number;
        /**
         * @description The currency of the wallet, by its ISO 4217 code.
         * @example GHS
         */
        Currency: string;
        /**
         * @description A status of a transaction; `success` is a delivered one. Any other than `pending` and `scheduled` is final.
         * @example success
         * @enum {string}
         */
        KnownStatus: "pending" | "success" | "undelivered" | "expired" | "rejected" | "failed" | "scheduled" | "cancelled";
        /**
         * @description The status of a transaction; `success` is a delivered one. Any other than `pending` and `scheduled` is final. New
         *     values may be added.
         * @example success
         */
        Status: "pending" | "success" | "undelivered" | "expired" | "rejected" | "failed" | "scheduled" | "cancelled" | (string & {});
        /**
         * @description The alphabet that the text needs.
         * @example GSM-7
         */
        Encoding: "GSM-7" | "UCS-2" | (string & {});
        /** @description The result of sending one message. */
        SendResult: {
            /**
             * @description The charge so far, which is 0.0 at send time.
             * @example 0
             */
            Cost: number;
            /**
             * @description The recipient's number.
             * @example 233241234567
             */
            Destination: string;
            /**
             * Format: uuid
             * @description Identifies the message; equal to `Ticket`.
             * @example 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f
             */
            Id: string;
            Ticket: components["schemas"]["Ticket"];
            /**
             * @description The `Reference` of the request; empty when it had none.
             * @example order-1042
             */
            ClientReference: string;
            /**
             * @description The status of the message, `pending` at first. Any other than `pending` and `scheduled` is final.
             * @example pending
             */
            Status: components["schemas"]["Status"];
        };
        /** @description A transaction and its state. No field is ever null. */
        Transaction: {
            /**
             * @description The kind of transaction.
             * @example SMS
             */
            Type: "SMS" | (string & {});
            /**
             * Format: uuid
             * @description Identifies the message.
             * @example 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f
             */
            MessageId: string;
            Status: components["schemas"]["Status"];
            /**
             * @description The text of the message.
             * @example Your order 1042 is on its way.
             */
            Content: string;
            /**
             * @description The recipient's number.
             * @example 233241234567
             */
            To: string;
            /**
             * @description The sender name.
             * @example WIGWAG
             */
            From: string;
            /**
             * @description Your reference; empty when the send had none.
             * @example order-1042
             */
            Reference: string;
            /**
             * @description The charge. 0 until the message is delivered, and for good when it is not.
             * @example 0.045
             */
            Cost: number;
            /**
             * Format: date-time
             * @description When the message was accepted, in UTC with milliseconds.
             * @example 2026-11-20T09:30:00.125Z
             */
            DateCreated: string;
            /**
             * Format: date-time
             * @description When the transaction took effect, that is, when it became final; until then it equals `DateCreated`.
             * @example 2026-11-20T09:30:02.480Z
             */
            EffectedAt: string;
            /**
             * @description The wallet's posted balance before the transaction took effect.
             * @example 100
             */
            BalanceBefore: number;
            /**
             * @description The wallet's posted balance after it.
             * @example 99.955
             */
            BalanceAfter: number;
        };
        /** @description What a wallet can still spend. */
        Balance: {
            /**
             * @description The balance that can be spent, what is held for messages under way already taken off.
             * @example 99.955
             */
            balance: number;
            currency: components["schemas"]["Currency"];
            /**
             * Format: date-time
             * @description When the balance was read, in UTC with milliseconds.
             * @example 2026-11-20T09:31:00.000Z
             */
            asOf: string;
        };
        /** @description A change of a wallet's posted balance. */
        LedgerEntry: {
            /**
             * @description The entry's place in the wallet's ledger. The first is 1, and none is left out.
             * @example 2
             */
            Seq: number;
            /**
             * @description Whether money was added (`credit`) or charged for a message (`charge`).
             * @example charge
             */
            Kind: "credit" | "charge" | (string & {});
            /**
             * @description How much was added or charged, never negative.
             * @example 0.045
             */
            Amount: number;
            /**
             * @description The wallet's posted balance before the entry, what is held included.
             * @example 100
             */
            BalanceBefore: number;
            /**
             * @description The wallet's posted balance after the entry, what is held included.
             * @example 99.955
             */
            BalanceAfter: number;
            /**
             * Format: uuid
             * @description The message that was charged for. Absent when money was added.
             * @example 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f
             */
            Ticket?: string;
            At: components["schemas"]["Instant"];
        };
        /** @description One page of a wallet's ledger. */
        LedgerPage: {
            /** @description The entries, newest first. */
            Items: components["schemas"]["LedgerEntry"][];
            NextCursor?: components["schemas"]["NextCursor"];
        };
        /** @description What is posted to a callback URL. */
        CallbackPayload: {
            /**
             * @description The `Reference` that was sent with the message; empty when it had none.
             * @example order-1042
             */
            ClientReference: string;
            Ticket: components["schemas"]["Ticket"];
            /**
             * @description The recipient's number.
             * @example 233241234567
             */
            Destination: string;
            /**
             * @description The charge applied to the wallet; 0 when the message was not delivered.
             * @example 0.045
             */
            Cost: number;
            /**
             * @description The wallet's posted balance before the transaction.
             * @example 100
             */
            BalanceBefore: number;
            /**
             * @description The wallet's posted balance after the transaction.
             * @example 99.955
             */
            BalanceAfter: number;
            Status: components["schemas"]["Status"];
        };
        /** @description An error, after RFC 9457. */
        Problem: {
            /**
             * @description Always `about:blank`; branch on `code`.
             * @example about:blank
             */
            type: string;
            /**
             * @description The error in a few words, the same for every occurrence of its code.
             * @example The wallet does not hold enough
             */
            title: string;
            /**
             * @description The HTTP status.
             * @example 402
             */
            status: number;
            /**
             * @description What was expected, what came, and what to do.
             * @example The messages cost 12.5 GHS and the wallet can spend 3.2 GHS.
             */
            detail: string;
            code: components["schemas"]["ProblemCode"];
            /**
             * @description Names the request in the gateway's logs.
             * @example 01932c07-7e5d-7001-8000-5d2f8c1b7a90
             */
            requestId: string;
            /** @description Every field that breaks a rule. */
            errors?: components["schemas"]["FieldError"][];
        };
        /** @description One field that breaks a rule. */
        FieldError: {
            /**
             * @description Where the field is, as a JSON pointer; for a parameter, `/` and its name.
             * @example /Recipients/3/To
             */
            pointer: string;
            code: components["schemas"]["ProblemCode"];
            /**
             * @description What was expected and what came.
             * @example Expected 7 to 15 digits beginning with a country code, which is never 0; got "0241234567".
             */
            detail: string;
        };
        /**
         * @description Says which error it is. Stable; new codes may be added.
         * @example insufficient_funds
         */
        ProblemCode: "invalid_json" | "invalid_idempotency_key" | "invalid_credentials" | "wallet_token_missing" | "insufficient_funds" | "wallet_forbidden" | "account_suspended" | "sender_not_approved" | "insufficient_scope" | "limit_reached" | "recipient_not_allowed" | "scheduled_elsewhere" | "transaction_not_found" | "key_not_found" | "route_not_found" | "method_not_allowed" | "request_timeout" | "idempotency_in_progress" | "not_cancellable" | "key_not_current" | "too_many" | "body_too_large" | "unsupported_media_type" | "missing_field" | "invalid_type" | "invalid_value" | "invalid_recipient" | "invalid_sender" | "content_empty" | "content_too_long" | "content_invalid" | "invalid_callback_url" | "invalid_send_at" | "no_rate" | "too_many_recipients" | "idempotency_key_reused" | "rate_limited" | "internal_error" | "unavailable" | "outcome_unknown" | (string & {});
        /** @description One page of messages. */
        MessagePage: {
            /** @description The messages, newest first. */
            Items: components["schemas"]["FoundMessage"][];
            NextCursor?: components["schemas"]["NextCursor"];
        };
        /**
         * @description The `Cursor` of the next page. Absent on the last page.
         * @example MTczMjA5NTAwMDEyNQ
         */
        NextCursor: string;
        /** @description A transaction, and who sent it. */
        FoundMessage: components["schemas"]["Transaction"] & {
            SentBy?: components["schemas"]["SentBy"];
        };
        /** @description Who sent a message. Absent for messages from before this was kept. */
        SentBy: {
            /**
             * @description An API client, a person on a page, or an assistant. New values may be added.
             * @example assistant
             */
            Kind: "api" | "person" | "assistant" | (string & {});
            /**
             * @description The client ID, the person's e-mail address, or the name that the assistant gave itself, which anybody can
             *     choose. Absent when the person was forgotten.
             * @example Claude
             */
            Name?: string;
        };
        /** @description A message in full. */
        Message: components["schemas"]["Transaction"] & {
            SentBy?: components["schemas"]["SentBy"];
            /**
             * @description How many segments the text takes.
             * @example 1
             */
            Segments: number;
            Encoding: components["schemas"]["Encoding"];
            /**
             * @description The recipient's country, by its two letters in ISO 3166-1.
             * @example GH
             */
            Country: string;
            /**
             * @description The recipient's network, when the number tells. Numbers may have moved to another since.
             * @example MTN
             */
            Network?: string;
            /**
             * @description Why the message was not delivered, in a sentence of the gateway's. Absent while it is not final, and when it was delivered or cancelled.
             * @example The carrier could not deliver it.
             */
            FailureReason?: string;
            SendAt?: components["schemas"]["SendAt"];
            /** @description What happened to the message, in order. */
            Timeline: components["schemas"]["TimelineEntry"][];
        };
        /** @description One thing that happened to a message. */
        TimelineEntry: {
            At: components["schemas"]["Instant"];
            /**
             * @description What happened. New values may be added.
             * @example callback_delivered
             */
            Event: "accepted" | "scheduled" | "due" | "submitted" | "receipt" | "success" | "undelivered" | "expired" | "rejected" | "failed" | "cancelled" | "callback_delivered" | "callback_failed" | (string & {});
            /**
             * @description More about it, for people to read.
             * @example answered 204
             */
            Detail?: string;
        };
        /** @description A message to estimate. */
        EstimateRequest: {
            From?: components["schemas"]["SenderName"];
            To: components["schemas"]["RecipientNumber"];
            Content: components["schemas"]["MessageContent"];
            SendAt?: components["schemas"]["SendAt"];
        };
        /** @description What a message would cost. */
        Estimate: {
            /**
             * @description How many segments the text takes.
             * @example 1
             */
            Segments: number;
            Encoding: components["schemas"]["Encoding"];
            /**
             * @description The first character that is not in the GSM alphabet. Absent when all are.
             * @example 😀
             */
            UnicodeCause?: string;
            /**
             * @description The price of one segment.
             * @example 0.045
             */
            UnitPrice: number;
            /**
             * @description The price of the message, segments times unit price.
             * @example 0.045
             */
            Cost: number;
            Currency: components["schemas"]["Currency"];
            /**
             * @description The recipient's country, by its two letters in ISO 3166-1.
             * @example GH
             */
            Country: string;
            /**
             * @description The recipient's network, when the number tells.
             * @example MTN
             */
            Network?: string;
            Allowance?: components["schemas"]["Allowance"];
        };
        /** @description What the limits of the caller's connection leave. Only for an access token that may send. */
        Allowance: {
            /**
             * @description How much it may still spend today, in UTC.
             * @example 4.955
             */
            Spend: number;
            /**
             * @description How many messages it may still send today, in UTC. Absent when their number has no limit.
             * @example 49
             */
            Messages?: number;
            /**
             * @description Whether it may send to this recipient.
             * @example true
             */
            Recipient: boolean;
        };
        /**
         * Format: date-time
         * @description When to send, ISO 8601 with `Z` or an offset; in the future and at most 90 days ahead. Answers give it in UTC.
         * @example 2026-11-21T08:00:00.000Z
         */
        SendAt: string;
        /** @description A message and its time. */
        ScheduleRequest: components["schemas"]["SmsMessage"] & {
            SendAt: components["schemas"]["SendAt"];
        };
        /** @description The result of scheduling one message. */
        ScheduleResult: components["schemas"]["SendResult"] & {
            SendAt: components["schemas"]["SendAt"];
        };
        /** @description A message that waits for its time. */
        ScheduledMessage: {
            Ticket: components["schemas"]["Ticket"];
            Status: components["schemas"]["Status"];
            SendAt: components["schemas"]["SendAt"];
            /**
             * @description The sender name.
             * @example WIGWAG
             */
            From: string;
            /**
             * @description The recipient's number.
             * @example 233241234567
             */
            To: string;
            /**
             * @description The text of the message.
             * @example Your appointment is today at ten.
             */
            Content: string;
            /**
             * @description Your reference; empty when the send had none.
             * @example reminder-7
             */
            Reference: string;
            HeldCost: components["schemas"]["Amount"];
            DateCreated: components["schemas"]["Instant"];
        };
        /** @description One page of scheduled messages. */
        ScheduledPage: {
            /** @description The messages, the next one due first. */
            Items: components["schemas"]["ScheduledMessage"][];
            NextCursor?: components["schemas"]["NextCursor"];
        };
        /** @description A sender ID of the account. */
        SenderId: {
            /**
             * @description The sender name.
             * @example WIGWAG
             */
            SenderId: string;
            /**
             * @description Whether it may send.
             * @example approved
             * @enum {string}
             */
            Status: "approved" | "pending" | "rejected";
            DateCreated: components["schemas"]["Instant"];
        };
        /** @description The sender IDs of an account. */
        SenderIdList: {
            /** @description Every sender ID of the account. */
            Items: components["schemas"]["SenderId"][];
        };
        /** @description A sender ID to ask for. */
        SenderIdRequest: {
            /**
             * @description The sender name: 1 to 11 letters, digits and spaces with at least one letter and no space at either end, or
             *     3 to 15 digits.
             * @example WIGSHOP
             */
            SenderId: string;
        };
        /** @description A key of the account, without its secret. */
        Key: {
            /**
             * @description Identifies the key.
             * @example 0191d7c2-5b02-7d10-8c55-3f1e9a7b2c64
             */
            Id: string;
            /**
             * @description What the key is. New values may be added.
             * @example client
             */
            Kind: "client" | "wallet" | "callback" | (string & {});
            DateCreated: components["schemas"]["Instant"];
            /**
             * Format: date-time
             * @description When it was last used, to the minute. Absent when it never was.
             * @example 2026-11-20T09:29:11.040Z
             */
            LastUsed?: string;
            /**
             * Format: date-time
             * @description When an old key ends. Absent while it is the current one.
             * @example 2026-11-21T09:30:00.125Z
             */
            ExpiresAt?: string;
        };
        /** @description The keys of an account that work. */
        KeyList: {
            /** @description Every key that works, the current one of each kind first. */
            Items: components["schemas"]["Key"][];
        };
        /** @description How to replace a key. */
        RotateKeyRequest: {
            /**
             * @description For how long the old secret works beside the new one, as an ISO 8601 duration: not at all, an hour, a day or a
             *     week.
             * @example P1D
             * @enum {string}
             */
            KeepOldFor: "PT0S" | "PT1H" | "P1D" | "P7D";
        };
        /** @description A new key, with its secret. */
        RotatedKey: components["schemas"]["Key"] & {
            /**
             * @description The new secret. It is shown this once.
             * @example ws_7Yb3nKq0ZrVt5sHdLmXc2Gf8
             */
            Secret: string;
            /**
             * Format: date-time
             * @description When the old secret ends.
             * @example 2026-11-21T09:30:00.125Z
             */
            OldExpiresAt: string;
        };
        /** @description The prices for one country. */
        Rates: {
            /**
             * @description The country, by its two letters in ISO 3166-1.
             * @example GH
             */
            Country: string;
            Currency: components["schemas"]["Currency"];
            /**
             * @description The price of one segment to any network without a price of its own. Absent when there is none.
             * @example 0.05
             */
            DefaultPrice?: number;
            /** @description The networks that have a price of their own. */
            Networks: components["schemas"]["NetworkRate"][];
            /**
             * @description True while the gateway runs on its built-in sample of prices.
             * @example true
             */
            Sample: boolean;
        };
        /** @description The price for one network. */
        NetworkRate: {
            /**
             * @description The network's name.
             * @example MTN
             */
            Network: string;
            /**
             * @description Its mobile country code.
             * @example 620
             */
            Mcc: string;
            /**
             * @description Its mobile network code.
             * @example 01
             */
            Mnc: string;
            Price: components["schemas"]["Amount"];
        };
        /** @description The counts of one group, or of all. */
        InsightRow: {
            /**
             * @description The group, a country and its network, or a day in UTC; `total` for all.
             * @example GH MTN
             */
            Key: string;
            /**
             * @description How many messages were sent.
             * @example 120
             */
            Sent: number;
            /**
             * @description How many were delivered.
             * @example 117
             */
            Delivered: number;
            /**
             * @description How many were not (`undelivered`, `expired`, `rejected` and `failed`).
             * @example 2
             */
            Failed: number;
            /**
             * @description How many are not final yet.
             * @example 1
             */
            Pending: number;
            Spend: components["schemas"]["Amount"];
        };
        /** @description Deliveries and spend over a time. */
        DeliveryInsights: {
            /**
             * @description What a row stands for.
             * @example network
             */
            GroupBy: "network" | "day" | (string & {});
            DateFrom: components["schemas"]["Instant"];
            DateTo: components["schemas"]["Instant"];
            Currency: components["schemas"]["Currency"];
            /** @description One row per group. */
            Groups: components["schemas"]["InsightRow"][];
            Totals: components["schemas"]["InsightRow"];
        };
        /**
         * @description Whether the callback waits for an attempt, was received, or was given up on.
         * @example delivered
         * @enum {string}
         */
        CallbackState: "pending" | "delivered" | "dead";
        /** @description A callback and every attempt to deliver it. */
        Callback: {
            /**
             * Format: uuid
             * @description Identifies the callback; the same as its `webhook-id`.
             * @example 01932c07-8a11-7a55-b0c4-0f6f5a3c2d10
             */
            Id: string;
            Ticket: components["schemas"]["Ticket"];
            /**
             * @description Where it is posted.
             * @example https://shop.example/callbacks/sms
             */
            Url: string;
            State: components["schemas"]["CallbackState"];
            DateCreated: components["schemas"]["Instant"];
            /**
             * Format: date-time
             * @description When it is tried next. Absent when it is not.
             * @example 2026-11-20T09:35:02.480Z
             */
            NextAttemptAt?: string;
            /** @description The newest 20 attempts, in order. */
            Attempts: components["schemas"]["CallbackAttempt"][];
        };
        /** @description One attempt to deliver a callback. */
        CallbackAttempt: {
            At: components["schemas"]["Instant"];
            /**
             * @description The status that the receiver answered with. Absent when it did not answer.
             * @example 200
             */
            HttpStatus?: number;
            /**
             * @description How long the attempt took, in milliseconds.
             * @example 41
             */
            LatencyMs: number;
            /**
             * @description What went wrong. Absent when nothing did.
             * @example timeout
             */
            ErrorClass?: "invalid_url" | "blocked_address" | "dns_failed" | "connect_failed" | "tls_failed" | "timeout" | "connection_lost" | "http_status" | "receiver_gone" | (string & {});
            /**
             * @description The first bytes of the answer.
             * @example ok
             */
            Reply?: string;
        };
        /** @description One page of callbacks. */
        CallbackPage: {
            /** @description The callbacks, newest first. */
            Items: components["schemas"]["Callback"][];
            NextCursor?: components["schemas"]["NextCursor"];
        };
        /** @description Which callbacks to post again. */
        ReplayRequest: {
            /**
             * Format: date-time
             * @description Callbacks created at this time or later, ISO 8601 with `Z` or an offset.
             * @example 2026-11-20T06:00:00Z
             */
            Since: string;
        };
        /** @description How many callbacks are posted again. */
        ReplayResult: {
            /**
             * @description How many callbacks were queued.
             * @example 17
             */
            Replayed: number;
            /**
             * @description How many were left, because they were posted again 10 times on this day in UTC.
             * @example 0
             */
            Skipped: number;
        };
    };
    responses: {
        /** @description The request could not be read: `invalid_json`, or `invalid_idempotency_key`. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credentials are missing or wrong, or the access token is unknown, has expired or was revoked (`invalid_credentials`), or the `X-Wallet` header is missing or not of the form `Token <WALLET_TOKEN>` (`wallet_token_missing`). */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The wallet does not hold enough for the message, or for every message of a bulk (`insufficient_funds`). Nothing was accepted. */
        InsufficientFunds: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The caller is known but may not do this: the wallet token opens no wallet of the account (`wallet_forbidden`), the account is suspended (`account_suspended`), or the sender ID is not approved (`sender_not_approved`). For an assistant's connection also: its access token does not allow the operation (`insufficient_scope`), the send passes what it may spend or send a day (`limit_reached`), it may not send to this number (`recipient_not_allowed`), or it cancels what it did not schedule (`scheduled_elsewhere`). */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The account has no such transaction (`transaction_not_found`). The transactions of other accounts answer the same. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request did not arrive in time (`request_timeout`). */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A request with the same idempotency key is still running (`idempotency_in_progress`). Repeat it after a moment. */
        InProgress: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The message can't be cancelled (`not_cancellable`): its time has come, or it was never scheduled. */
        NotCancellable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The caller has no such key (`key_not_found`). The keys of other accounts answer the same. */
        KeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key was replaced already (`key_not_current`), or too many old ones still work (`too_many`). */
        KeyNotReplaceable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many sender IDs wait for approval (`too_many`). */
        TooMany: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The callback was posted again 10 times on this day in UTC (`too_many`). */
        TooManyReplays: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is larger than the operation takes (`body_too_large`): 64 KiB, or 2 MiB for a bulk. */
        BodyTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not `application/json` (`unsupported_media_type`). */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The request was read but breaks a rule. `errors` lists every field that does, and `code` is that of the first:
         *     `missing_field`, `invalid_type`, `invalid_value`, `invalid_recipient`, `invalid_sender`, `content_empty`,
         *     `content_too_long`, `content_invalid`, `invalid_callback_url`, `invalid_send_at`, `no_rate`, `too_many_recipients`.
         *     `idempotency_key_reused` means that the key was used before with another body.
         */
        Invalid: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests (`rate_limited`). `Retry-After` says after how many seconds to go on. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Something went wrong on our side (`internal_error`). Nothing was charged, unless a repeat with the same idempotency key says otherwise. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The service cannot take the request now (`unavailable`): it is overloaded, stopping, or out of room. Nothing was accepted.
         *     Or its store went away while it kept a send (`outcome_unknown`): repeat it with the same `Idempotency-Key` to find out.
         */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description The `Ticket` of a send result.
         * @example 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f
         */
        Ticket: string;
        /**
         * @description The `Id` of a send result, or the `MessageId` of a transaction.
         * @example 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f
         */
        MessageId: string;
        /**
         * @description The `Id` of a key.
         * @example 0191d7c2-5b02-7d10-8c55-3f1e9a7b2c64
         */
        KeyId: string;
        /**
         * @description The `Id` of a callback.
         * @example 01932c07-8a11-7a55-b0c4-0f6f5a3c2d10
         */
        CallbackId: string;
        /**
         * @description A country, by its two letters in ISO 3166-1.
         * @example GH
         */
        Country: string;
        /**
         * @description A key of your own making, 1 to 255 visible ASCII characters, that makes the request safe to repeat for 24 hours.
         *     The same key and body answer with the stored response and `Idempotent-Replayed: true`. Later the key is new
         *     again, and a repeat is another message.
         * @example 5f1c6f0e-order-1042
         */
        IdempotencyKey: string;
        /**
         * @description Only what was created at this time or later.
         * @example 2026-11-13T00:00:00Z
         */
        DateFrom: string;
        /**
         * @description Only what was created before this time.
         * @example 2026-11-20T00:00:00Z
         */
        DateTo: string;
        /**
         * @description How many items a page may have.
         * @example 50
         */
        Limit: number;
        /**
         * @description Where to read on, the `NextCursor` of the page before.
         * @example MTczMjA5NTAwMDEyNQ
         */
        Cursor: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Names this request in the gateway's logs. Quote it to support.
         * @example 01932c07-7e5d-7001-8000-5d2f8c1b7a90
         */
        RequestId: string;
        /**
         * @description `true` when the response is the stored one of an earlier request with the same idempotency key.
         * @example true
         */
        IdempotentReplayed: "true";
        /**
         * @description How many requests are left, and in how many seconds there are more.
         * @example "default";r=199;t=1
         */
        RateLimit: string;
        /**
         * @description The limit that applies, in requests and seconds.
         * @example "default";q=200;w=2
         */
        RateLimitPolicy: string;
        /**
         * @description After how many seconds to try again.
         * @example 1
         */
        RetryAfter: number;
        /**
         * @description The credentials that are expected.
         * @example Basic realm="wigwag", charset="UTF-8"
         */
        Challenge: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    sendSms: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key of your own making, 1 to 255 visible ASCII characters, that makes the request safe to repeat for 24 hours.
                 *     The same key and body answer with the stored response and `Idempotent-Replayed: true`. Later the key is new
                 *     again, and a repeat is another message.
                 * @example 5f1c6f0e-order-1042
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The message. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SmsMessage"];
            };
        };
        responses: {
            /** @description The message was accepted. It is stored, and its price is held. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["InsufficientFunds"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["InProgress"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    sendBulkSms: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key of your own making, 1 to 255 visible ASCII characters, that makes the request safe to repeat for 24 hours.
                 *     The same key and body answer with the stored response and `Idempotent-Replayed: true`. Later the key is new
                 *     again, and a repeat is another message.
                 * @example 5f1c6f0e-order-1042
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The text and its recipients. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkSmsMessage"];
            };
        };
        responses: {
            /** @description All messages were accepted. They are stored, and their price is held. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendResult"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["InsufficientFunds"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["InProgress"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTransactionStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `Ticket` of a send result.
                 * @example 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f
                 */
                ticket: components["parameters"]["Ticket"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transaction. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBalance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The balance. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLedger: {
        parameters: {
            query?: {
                /**
                 * @description Only what was created at this time or later.
                 * @example 2026-11-13T00:00:00Z
                 */
                DateFrom?: components["parameters"]["DateFrom"];
                /**
                 * @description Only what was created before this time.
                 * @example 2026-11-20T00:00:00Z
                 */
                DateTo?: components["parameters"]["DateTo"];
                /**
                 * @description How many items a page may have.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /**
                 * @description Where to read on, the `NextCursor` of the page before.
                 * @example MTczMjA5NTAwMDEyNQ
                 */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of entries, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    searchMessages: {
        parameters: {
            query?: {
                /**
                 * @description Only what was created at this time or later.
                 * @example 2026-11-13T00:00:00Z
                 */
                DateFrom?: components["parameters"]["DateFrom"];
                /**
                 * @description Only what was created before this time.
                 * @example 2026-11-20T00:00:00Z
                 */
                DateTo?: components["parameters"]["DateTo"];
                /**
                 * @description Only messages that have this status now.
                 * @example success
                 */
                Status?: components["schemas"]["KnownStatus"];
                /**
                 * @description Only messages to this phone, whether its number was written with the national prefix or without.
                 * @example 233241234567
                 */
                To?: components["schemas"]["RecipientNumber"];
                /**
                 * @description Only messages from this sender name.
                 * @example WIGWAG
                 */
                From?: components["schemas"]["SenderName"];
                /**
                 * @description Only messages that were sent with this reference, compared exactly. Look here before a send is repeated more
                 *     than 24 hours later, when its idempotency key has been forgotten.
                 * @example order-1042
                 */
                Reference?: components["schemas"]["ReferenceFilter"];
                /**
                 * @description Only messages that an API client, a person on a page, or an assistant sent. Looks through a bounded number of
                 *     messages for each page, so a page may have fewer than `Limit`, or none, and still name a `Cursor`.
                 * @example assistant
                 */
                SentBy?: "api" | "person" | "assistant";
                /**
                 * @description How many items a page may have.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /**
                 * @description Where to read on, the `NextCursor` of the page before.
                 * @example MTczMjA5NTAwMDEyNQ
                 */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of messages, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `Id` of a send result, or the `MessageId` of a transaction.
                 * @example 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f
                 */
                id: components["parameters"]["MessageId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    estimateCost: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The message to estimate. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EstimateRequest"];
            };
        };
        responses: {
            /** @description What the message would cost. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Estimate"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listScheduledSms: {
        parameters: {
            query?: {
                /**
                 * @description How many items a page may have.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /**
                 * @description Where to read on, the `NextCursor` of the page before.
                 * @example MTczMjA5NTAwMDEyNQ
                 */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of scheduled messages, the next one due first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduledPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    scheduleSms: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key of your own making, 1 to 255 visible ASCII characters, that makes the request safe to repeat for 24 hours.
                 *     The same key and body answer with the stored response and `Idempotent-Replayed: true`. Later the key is new
                 *     again, and a repeat is another message.
                 * @example 5f1c6f0e-order-1042
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The message and its time. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleRequest"];
            };
        };
        responses: {
            /** @description The message is queued for its time, and its price is held. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["InsufficientFunds"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["InProgress"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelScheduledSms: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `Ticket` of a send result.
                 * @example 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f
                 */
                ticket: components["parameters"]["Ticket"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cancelled transaction. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["NotCancellable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSenderIds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sender IDs of the account. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SenderIdList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    requestSenderId: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Which sender ID. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SenderIdRequest"];
            };
        };
        responses: {
            /** @description The sender ID, and how far it got. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SenderId"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["TooMany"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys that work. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `Id` of a key.
                 * @example 0191d7c2-5b02-7d10-8c55-3f1e9a7b2c64
                 */
                id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        /** @description For how long the old secret works. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateKeyRequest"];
            };
        };
        responses: {
            /** @description The new key with its secret, and when the old one ends. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["KeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["KeyNotReplaceable"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A country, by its two letters in ISO 3166-1.
                 * @example GH
                 */
                country: components["parameters"]["Country"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The prices for the country. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rates"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deliveryInsights: {
        parameters: {
            query: {
                /**
                 * @description One row per recipient network, or one per day.
                 * @example network
                 */
                GroupBy: "network" | "day";
                /**
                 * @description Only what was created at this time or later.
                 * @example 2026-11-13T00:00:00Z
                 */
                DateFrom?: components["parameters"]["DateFrom"];
                /**
                 * @description Only what was created before this time.
                 * @example 2026-11-20T00:00:00Z
                 */
                DateTo?: components["parameters"]["DateTo"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts, and their totals. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryInsights"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCallbacks: {
        parameters: {
            query?: {
                /**
                 * @description Only the callbacks of this transaction.
                 * @example 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f
                 */
                Ticket?: components["schemas"]["Ticket"];
                /**
                 * @description Only callbacks in this state.
                 * @example dead
                 */
                State?: components["schemas"]["CallbackState"];
                /**
                 * @description How many items a page may have.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /**
                 * @description Where to read on, the `NextCursor` of the page before.
                 * @example MTczMjA5NTAwMDEyNQ
                 */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of callbacks, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbackPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replayCallback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `Id` of a callback.
                 * @example 01932c07-8a11-7a55-b0c4-0f6f5a3c2d10
                 */
                id: components["parameters"]["CallbackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The callback, queued to be posted again. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Callback"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["TooManyReplays"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replayFailedCallbacks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Since when. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description How many callbacks were queued to be posted again. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
}
