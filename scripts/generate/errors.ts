/** The catalogue of errors → docs/errors.md: every code with its status, what it means and what to do. */
import { gatewayError } from '../../packages/sdk/src/calls/problem.ts'
import { ADVICE } from '../../packages/server/src/kernel/advice.ts'
import { catalogue, type ProblemCode } from '../../packages/server/src/kernel/errors.ts'

export function errors(): string {
  const rows = Object.entries(catalogue).map(([code, [status, title]]) => ({ code, status, title }))
  const lines = rows
    .toSorted((a, b) => a.status - b.status)
    .map(
      ({ code, status, title }) => `| ${status} | \`${code}\` | ${title}. | ${ADVICE[code as ProblemCode]} |`,
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
