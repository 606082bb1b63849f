import { startReceiver } from '../platform/outbound/receiver.ts'

export const KEYS = ['b3BlcmF0b3JzIG93biBzZWNyZXQ=', 'dGhlIHNlY3JldCBiZWZvcmUgaXQ=']

export interface Event {
  id: string
  timestamp: string
  signatures: string[]
  text: string
  body: { type: string; timestamp: string; data: Record<string, unknown> }
}

/** The operator's webhook, a real server. It answers with these statuses in turn, and then with 204. */
export async function openWebhook(...statuses: number[]) {
  const events: Event[] = []
  const { url } = await startReceiver((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const header = (name: string) => String(request.headers[name])
      events.push({
        id: header('webhook-id'),
        timestamp: header('webhook-timestamp'),
        signatures: header('webhook-signature').split(' '),
        text,
        body: JSON.parse(text),
      })
      response.writeHead(statuses.shift() ?? 204).end()
    })
  })
  return { events, operatorWebhook: { url, secrets: KEYS.map((key) => `whsec_${key}`) } }
}
