import type { Hono } from 'hono'

/**
 * Serves `/llms.txt` (llmstxt.org): where a program that writes programs finds what this gateway serves. Without a public
 * address the links are relative, for the reason that `mountReference` gives.
 */
export function mountLlms(app: Hono, publicUrl: string | undefined): void {
  const text = llms(publicUrl ?? '')
  app.get('/llms.txt', (c) => c.text(text))
}

function llms(url: string): string {
  return `# Wigwag Messaging API

> An SMS gateway. It sends text messages, says what happened to each, and charges a wallet once for each that was delivered.

Credentials: the client ID and the client secret of an account are the user name and password of HTTP Basic. Sends, and what
reads the wallet, also need the header \`X-Wallet: Token <WALLET_TOKEN>\`. Never write them into code; the SDK reads
WIGWAG_BASE_URL, WIGWAG_CLIENT_ID, WIGWAG_CLIENT_SECRET and WIGWAG_WALLET_TOKEN from the environment.

Sends: give each an \`Idempotency-Key\` and repeat the same request with the same key after a lost answer or a 5xx; it goes out
once. Field names are case-sensitive: \`From\`, \`To\`, \`Content\`. Numbers are international, such as 233241234567. A status other
than \`pending\` and \`scheduled\` is final, and \`success\` means delivered.

Errors are \`application/problem+json\`: branch on \`code\`, read \`detail\`, and find every invalid field in \`errors\`. After a 4xx
other than 409 \`idempotency_in_progress\`, and after 503 \`unavailable\`, nothing was sent and nothing was charged.

## API

- [OpenAPI document](${url}/openapi.json): every operation with its fields, examples and errors
- [API reference](${url}/docs): the same document as a page

## Assistants

- [Tools](${url}/mcp): a Model Context Protocol server over HTTP, for one wallet, within the limits that a person set
`
}
