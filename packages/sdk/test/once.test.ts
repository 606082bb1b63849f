import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSandbox, type Sandbox } from '../../server/src/testing/sandbox.ts'
import { createClient, type Resend, type SendResult, WigwagError } from '../src/index.ts'
import { testClock } from './fault-server.ts'

/** A fault of one request, before it reaches the gateway or after. */
type Fault = { reaches: boolean; answers: (answer: Response | undefined) => Response | Promise<Response> }

const lost = () => Promise.reject(new TypeError('fetch failed'))
const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    new Response('<h1>Away</h1>', { status: code, headers: { 'content-type': 'text/html', ...headers } })

/** The answer of the gateway, broken off in the middle. */
const torn = async (answer: Response | undefined) => {
  const text = (await answer?.text()) ?? ''
  return new Response(text.slice(0, text.length / 2), { headers: { 'content-type': 'application/json' } })
}

const fault = fc.constantFrom<Fault>(
  { reaches: false, answers: lost },
  { reaches: true, answers: lost },
  { reaches: true, answers: torn },
  { reaches: true, answers: status(502) },
  { reaches: true, answers: status(504) },
  { reaches: false, answers: status(408) },
  { reaches: false, answers: status(429, { 'retry-after': '1' }) },
  { reaches: false, answers: status(503) },
  { reaches: true, answers: (answer) => answer ?? status(500)() },
)

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await openSandbox({ balance: 100_000 })
})
afterAll(() => sandbox.close())

/** A client of the sandbox whose requests meet these faults, one each, in order; then nothing goes wrong any more. */
function clientWith(faults: readonly Fault[], retries: number, resend: Resend) {
  const { clientId, clientSecret, walletToken } = sandbox.credentials
  const left = [...faults]
  return createClient({
    baseUrl: 'http://sandbox.invalid',
    clientId,
    clientSecret,
    walletToken,
    retries,
    resend,
    clock: testClock(),
    async fetch(url, init) {
      const met = left.shift()
      if (!met) return sandbox.fetch(url, init)
      return met.answers(met.reaches ? await sandbox.fetch(url, init) : undefined)
    },
  })
}

let calls = 0

it('leaves at most one message for every call, whatever the faults, and exactly one where it says so', async () => {
  const shape = fc.record({
    faults: fc.array(fault, { maxLength: 7 }),
    retries: fc.nat(5),
    resend: fc.constantFrom<Resend>('with-key', 'when-safe'),
    bulk: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(shape, async ({ faults, retries, resend, bulk }) => {
      const sms = clientWith(faults, retries, resend)
      const To = String(233_240_000_000 + calls++)
      const text = { From: 'WIGWAG', Content: 'Hello' }
      const call: Promise<SendResult | SendResult[]> = bulk
        ? sms.sendBulkSms({ ...text, Recipients: [{ To }] })
        : sms.sendSms({ ...text, To })
      const outcome = await call.catch((error: unknown) => error)
      const tickets = []
      for await (const { MessageId } of sandbox.client.searchMessages({ To })) tickets.push(MessageId)
      expect(tickets.length).toBeLessThanOrEqual(1)
      if (outcome instanceof WigwagError) {
        if (!outcome.uncertain) expect(tickets).toEqual([])
      } else {
        const [result] = [outcome].flat() as SendResult[]
        expect(tickets).toEqual([result?.Ticket])
      }
    }),
    { numRuns: 150 },
  )
})
