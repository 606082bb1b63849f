import { setTimeout as pause } from 'node:timers/promises'

const SENDERS = 8

/** Sends a message once, and gives its ticket. */
export async function send(url: string, headers: Record<string, string>, key: string): Promise<string> {
  const response = await fetch(`${url}/v1/messages/sms`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ From: 'WIGWAG', To: '233241234567', Content: 'Hello', Reference: key }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 200)}`)
  return JSON.parse(text).Ticket
}

/** Sends without rest, each message once: what fails is not tried again. */
export function startLoad(url: string, headers: Record<string, string>) {
  const tickets = new Set<string>()
  const failed: string[] = []
  let sent = 0
  let stopped = false
  async function sendOn(): Promise<void> {
    while (!stopped) {
      const key = `load-${sent++}`
      await send(url, headers, key).then(
        (ticket) => tickets.add(ticket),
        (error: unknown) => failed.push(String(error instanceof Error ? (error.cause ?? error) : error)),
      )
      await pause(5)
    }
  }
  const senders = Array.from({ length: SENDERS }, sendOn)
  return {
    /** Tickets that were acknowledged so far. */
    tickets,
    async stop() {
      stopped = true
      await Promise.all(senders)
      return { sent, failed }
    },
  }
}
