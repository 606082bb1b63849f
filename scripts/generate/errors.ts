/** The catalogue of errors → docs/errors.md: every code with its status, what it means and what to do. */
import { gatewayError } from '../../packages/sdk/src/calls/problem.ts'
import { catalogue, type ProblemCode } from '../../packages/server/src/kernel/errors.ts'

/** The caller's next step for each code. A code without a line does not compile. */
const todo: Record<ProblemCode, string> = {
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

export function errors(): string {
  const rows = Object.entries(catalogue).map(([code, [status, title]]) => ({ code, status, title }))
  const lines = rows
    .toSorted((a, b) => a.status - b.status)
    .map(
      ({ code, status, title }) => `| ${status} | \`${code}\` | ${title}. | ${todo[code as ProblemCode]} |`,
    )
  const classes = Map.groupBy(new Set(rows.map(({ status }) => status)), classOf)
  const kinds = [...classes].map(
    ([name, statuses]) => `| \`${name}\` | ${statuses.toSorted((a, b) => a - b).join(', ')} |`,
  )
  return `<!-- Generated from the server's catalogue of errors by \`npm run generate\`. Do not edit. -->

# Errors

Every error has the type \`application/problem+json\`. \`code\` is stable: branch on it, not on the text. \`detail\` says what was
expected and what came. \`errors\` lists every field that is wrong, with a JSON pointer to each. \`requestId\`, which is also in
the header \`X-Request-Id\`, finds the request in the operator's log.

\`\`\`json
{
  "type": "about:blank",
  "title": "${catalogue.invalid_recipient[1]}",
  "status": ${catalogue.invalid_recipient[0]},
  "detail": "Expected 7 to 15 digits beginning with a country code, which is never 0; got \\"0241234567\\".",
  "code": "invalid_recipient",
  "requestId": "01a1f8a2-5c1e-7d53-9a3c-6f0f2b8f7a10",
  "errors": [{ "pointer": "/To", "code": "invalid_recipient", "detail": "Expected 7 to 15 digits …" }]
}
\`\`\`

An error with a status of 4xx, except 409 \`idempotency_in_progress\`, means that nothing was sent and nothing was charged, and
so does 503 \`unavailable\`. After another 5xx, such as a proxy's without a code, or a lost connection it is not known: repeat the
request **with the same \`Idempotency-Key\`**, and it is done once. The SDK does so by itself.

| Status | Code | Meaning | What to do |
|---|---|---|---|
${lines.join('\n')}

## In the SDK

Each is a \`GatewayError\`, or the class of its status. \`ConnectionError\`, \`TimeoutError\` and \`AbortedError\` mean that there was no
answer; \`uncertain\` says whether the message may have been taken all the same.

| Class | Statuses |
|---|---|
${kinds.join('\n')}
`
}

function classOf(status: number): string {
  const facts = { operation: 'sendSms' as const, attempts: 1, uncertain: false, idempotencyKey: undefined }
  return gatewayError(new Response(null, { status }), undefined, facts, 0).name
}
