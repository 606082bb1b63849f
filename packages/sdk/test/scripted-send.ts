import { onTestFinished, vi } from 'vitest'
import { type CallOptions, type ClientOptions, createClient } from '../src/index.ts'
import { credentials, faultServer, json, message, type Step, sent, testClock } from './fault-server.ts'
import type { Carrier } from './transports.ts'

export const accepted = json(200, sent)

export const halfReply: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
  response.write('{"Cost":0,', () => response.socket?.destroy())
}

export const brokenOff: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"Cost":0,"Dest')
}

/** Begins the body of an answer, and calls `then` once the client may have read that. */
export function stalls(then: () => void): Step {
  return (response) => {
    const head = response.writeHead(200, { 'content-type': 'application/json' })
    head.write('{"Cost":', () => setImmediate(() => setImmediate(then)))
  }
}

/** Timers of so many milliseconds end when the test says so, as if the time were over. All others are real. */
export function heldTimers(ms: number): { end: () => void } {
  const held = new Set<() => void>()
  const { setTimeout } = globalThis
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation((work, delayMs) => {
    if (delayMs !== ms) return setTimeout(work, delayMs)
    held.add(work)
    return setTimeout(() => {}, 0)
  })
  onTestFinished(() => spy.mockRestore())
  return {
    end() {
      const works = [...held]
      held.clear()
      if (works.length !== 1) throw new Error(`expected one timer of ${ms} ms, found ${works.length}`)
      for (const work of works) work()
    },
  }
}

/** Makes a function that sends one message to a server that follows a script, and says what came of it. */
export function sender(carrier: Carrier) {
  return async (script: Step[], options: CallOptions = {}, client: Partial<ClientOptions> = {}) => {
    await using server = await faultServer(...script)
    const clock = testClock()
    // Half of the longest pause.
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const sms = createClient({
      ...credentials,
      baseUrl: server.baseUrl,
      clock,
      ...carrier(),
      ...client,
    } as ClientOptions)
    const outcome = await sms.sendSms(message, options).catch((error: unknown) => error)
    random.mockRestore()
    return {
      outcome,
      requests: server.requests(),
      read: server.seen,
      keys: server.keys(),
      slept: clock.slept,
    }
  }
}
