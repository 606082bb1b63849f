import { setTimeout as pause } from 'node:timers/promises'

const SENDERS = 4
const REST_MS = 40
/** Sooner than `Retry-After` says, so that the end of a pause is seen when it comes. */
const AGAIN_MS = 100
/** A caller that has no answer by then counts as one that hangs. */
const HANGS_MS = 60_000

export interface Answer {
  what: 'send' | 'read'
  port: number
  /** When it came, and how long it took. */
  at: number
  tookMs: number
  /** `hung` when none came, `broken` when the connection ended without one. */
  status: number | 'hung' | 'broken'
  retryAfter: boolean
}

export interface Callers {
  answers: readonly Answer[]
  /** The tickets of acknowledged sends, by their keys. */
  tickets: ReadonlyMap<string, string>
  stop(): Promise<void>
}

let recipients = 0
/** All differ. By a last 00001 to 00006 the carrier would end a message in another way. */
function nextRecipient(): string {
  recipients += recipients % 100_000 === 0 ? 10 : 1
  return `23324${1_000_000 + recipients}`
}

/**
 * Clients of gateways in turn: each sends a message with its key until it is accepted, and one reads what was accepted
 * last.
 */
export function startCallers(
  name: string,
  ports: readonly number[],
  headers: Record<string, string>,
): Callers {
  const answers: Answer[] = []
  const tickets = new Map<string, string>()
  let turn = 0
  let sent = 0
  let stopped = false

  async function ask(what: Answer['what'], path: string, init: RequestInit): Promise<string | undefined> {
    const port = ports[turn++ % ports.length] ?? 0
    const began = performance.now()
    const signal = AbortSignal.timeout(HANGS_MS)
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal })
      .then(async (response) => ({ response, text: await response.text() }))
      .catch(() => undefined)
    const at = performance.now()
    const status = answer?.response.status ?? (signal.aborted ? 'hung' : 'broken')
    const retryAfter = answer?.response.headers.has('retry-after') ?? false
    answers.push({ what, port, at, tookMs: at - began, status, retryAfter })
    return status === 200 ? answer?.text : undefined
  }

  async function sendOn(): Promise<void> {
    while (!stopped) {
      const key = `${name}-${sent++}`
      const body = JSON.stringify({ From: 'WIGWAG', To: nextRecipient(), Content: 'Hello', Reference: key })
      const init = {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
        body,
      }
      for (;;) {
        const text = await ask('send', '/v1/messages/sms', init)
        if (text !== undefined) {
          tickets.set(key, JSON.parse(text).Ticket)
          break
        }
        await pause(AGAIN_MS)
      }
      await pause(REST_MS)
    }
  }

  async function readOn(): Promise<void> {
    while (!stopped) {
      const ticket = [...tickets.values()].at(-1)
      if (ticket !== undefined) await ask('read', `/v1/messages/${ticket}`, { headers })
      await pause(AGAIN_MS)
    }
  }

  const all = [...Array.from({ length: SENDERS }, sendOn), readOn()]
  return {
    answers,
    tickets,
    async stop() {
      stopped = true
      await Promise.all(all)
    },
  }
}

/** The longest time without an answer that was wanted, among those that came after `since`, in milliseconds. */
export function longestPause(answers: readonly Answer[], since: number): number {
  const times = answers.filter(({ what, status }) => what === 'send' && status === 200).map(({ at }) => at)
  return longestGap(times, since)
}

/** The longest time between two that follow each other, of which the later one is after `since`. */
export function longestGap(times: readonly number[], since: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  const gaps = sorted.slice(1).map((at, index) => (at > since ? at - (sorted[index] ?? at) : 0))
  return Math.max(0, ...gaps)
}
