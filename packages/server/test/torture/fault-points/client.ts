import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountSecrets } from '../../../src/accounts/operator.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { type Answer, type Ask, BULK, call, SINGLE } from '../../support/front.ts'
import { ticketsOf, untilAnswered } from '../../support/load.ts'

const SCHEDULED = '/v1/messages/sms/scheduled'
const SOON_MS = 500
const LATER_MS = 3_600_000
const REST_MS = 250

export interface ClientOptions {
  /** Where the gateway is just now. */
  url(): string
  account: AccountSecrets
  callbackUrl: string
  /** Until this is so, it sends one of each sort again and again, and at least once. */
  isOver(): boolean
}

/** A careful client, which sends messages of every sort and repeats each request until it is answered. */
export async function sendEverySort(options: ClientOptions): Promise<string[]> {
  const { url, account, callbackUrl, isOver } = options
  const tickets: string[] = []
  let count = 0

  const ask = (request: Ask) => untilAnswered(() => call(url(), account, request).catch(() => undefined))
  const post = (path: string, body: object) => ask({ path, body, key: randomUUID() })

  /** No two messages have one recipient, or one text. */
  function recipient(ending?: string): string {
    count++
    return `23324${20 + (count % 70)}${ending ?? 10_000 + count}`
  }
  function about(length = 40): object {
    const mark = `<${randomBytes(6).toString('hex')}>`
    return { From: 'WIGWAG', Content: mark.repeat(length).slice(0, length), CallbackUrl: callbackUrl }
  }

  async function send(path: string, body: object): Promise<string[]> {
    const sent = ticketsOf(expectOk(await post(path, body)).text)
    tickets.push(...sent)
    return sent
  }
  const single = (ending?: string, length?: number) =>
    send(SINGLE, { ...about(length), To: recipient(ending) })
  const bulk = () => send(BULK, { ...about(), Recipients: [{ To: recipient() }, { To: recipient() }] })

  /** A repeat of what was not accepted may come after its time. */
  async function schedule(inMs: number): Promise<string[]> {
    const to = recipient()
    for (;;) {
      const SendAt = new Date(systemClock.now() + inMs).toISOString()
      const answer = await post(SCHEDULED, { ...about(), To: to, SendAt })
      if (answer.status === 422) continue
      const sent = ticketsOf(expectOk(answer).text)
      tickets.push(...sent)
      return sent
    }
  }
  async function cancel([ticket]: string[]): Promise<void> {
    expectOk(await ask({ method: 'DELETE', path: `${SCHEDULED}/${ticket}` }))
  }

  async function sendOneEach(): Promise<void> {
    const sent = [single(), single('00001'), single('00005'), single(undefined, 200), bulk()]
    await Promise.all([...sent, schedule(SOON_MS), schedule(LATER_MS).then(cancel)])
  }

  for (;;) {
    await sendOneEach()
    await pause(REST_MS)
    if (isOver()) return tickets
  }
}

function expectOk(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${answer.text}`)
  return answer
}
