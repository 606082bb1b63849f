import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

export function newCallbackSecret(): string {
  return PREFIX + randomBytes(24).toString('base64')
}

/** The headers of one attempt, after Standard Webhooks: one signature per secret, so that a rotation breaks nobody. */
export function signatureHeaders(
  secrets: readonly string[],
  { id, payload, now }: { id: string; payload: string; now: number },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signed = `${id}.${timestamp}.${payload}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret, signed)}`).join(' '),
  }
}

function sign(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return createHmac('sha256', key).update(text).digest('base64')
}
