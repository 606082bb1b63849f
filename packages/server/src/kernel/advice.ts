import type { ProblemCode } from './errors.ts'

/** The caller's next step for each code, in Markdown: code between backticks, the names of pages between asterisks. */
export const ADVICE: Readonly<Record<ProblemCode, string>> = {
  invalid_json: 'Send valid JSON, as UTF-8.',
  invalid_idempotency_key:
    'Use 1 to 255 visible ASCII characters, such as a UUID or the number of your order.',
  invalid_credentials:
    'Check the client ID and secret, or get a new access token. A replaced secret stops at its end.',
  wallet_token_missing: 'Send the wallet token in `X-Wallet: Token …`; every send and the balance need it.',
  insufficient_funds: 'Ask the operator for credit. Nothing was sent, and nothing was held.',
  wallet_forbidden: 'Use the wallet token that belongs to these credentials.',
  account_suspended:
    'Ask the operator: nothing works until the account is resumed. Messages under way are finished.',
  sender_not_approved: 'Ask for the sender ID on the page *Sender IDs*, and wait until it is approved.',
  insufficient_scope: 'The person who connected the assistant allows more by signing in again.',
  limit_reached: 'Wait for the next day in UTC, or let the person raise the limit on the page *Assistants*.',
  recipient_not_allowed: 'Let the person add the number to the connection on the page *Assistants*.',
  scheduled_elsewhere:
    'Let the person cancel it on the page *Scheduled*: a connection cancels only what it scheduled itself.',
  transaction_not_found: 'Check the ticket and the account: a ticket of another account is not found either.',
  key_not_found: 'List the keys of the account, and use one of those.',
  route_not_found: 'Check the path against the API reference at `/docs`.',
  method_not_allowed: 'Use a method that the header `Allow` names.',
  request_timeout: 'Send the body without pauses. Nothing was done; the request can be repeated.',
  idempotency_in_progress:
    'Wait a second and repeat the request with the same key: it answers when the first one has.',
  not_cancellable:
    'Read the status: its time has come, or it was never scheduled. Cancelling a cancelled message again is no error.',
  key_not_current: 'Call with the current keys: these are being replaced.',
  too_many:
    'Wait until replaced keys end, the operator has decided on sender IDs, or the next day for a callback; the message says which.',
  body_too_large: 'Send fewer recipients a request; the message says how many bytes are allowed.',
  unsupported_media_type: 'Send `Content-Type: application/json`.',
  missing_field: 'Add the fields that `errors` lists.',
  invalid_type: 'Change the fields that `errors` lists to the type that each line expects.',
  invalid_value: 'Change the values that `errors` lists.',
  invalid_recipient: 'Use the international form in digits, such as `233241234567`: 7 to 15 digits.',
  invalid_sender: 'Use 1 to 11 letters, digits and inner spaces with at least one letter, or 3 to 15 digits.',
  content_empty: 'Write a text of at least one visible character.',
  content_too_long: 'Shorten the text to ten segments; `POST /v1/messages/sms/estimate` counts them.',
  content_invalid: 'Take out control characters and halves of characters.',
  invalid_callback_url:
    'Use an `http` or `https` address that the public internet reaches, without user name and password.',
  invalid_send_at: 'Use a time with its zone, in the future and at most 90 days ahead.',
  no_rate: 'Ask the operator for a rate; `GET /v1/rates/{country}` shows which destinations there are.',
  too_many_recipients: 'Send the list in parts; the SDK does so in `sendToMany`.',
  idempotency_key_reused: 'Use a new key for a new message. Nothing was sent by this request.',
  rate_limited: 'Wait for the seconds that `Retry-After` names.',
  internal_error: 'Repeat it with the same idempotency key. If it stays, give the operator the request ID.',
  unavailable: 'Nothing was sent. Repeat it after the seconds that `Retry-After` names.',
  outcome_unknown:
    'Repeat it with the same idempotency key, after the seconds that `Retry-After` names: it tells, and it is done once.',
}
