import { zDeliveryInsights } from '@wigwag/contract/validators'
import fc from 'fast-check'
import type { Bench } from '../support/bench.ts'
import { MESSAGE } from '../support/harness.ts'
import { answerOf } from './requests.ts'
import { at, cancel, schedule } from './scheduling.ts'

const NUMBERS = ['2332412', '2332012', '23480312', '4474001', '467012']
const ENDINGS = ['00001', '00002', '00003', '00004', '00005', '00006', '34567']
const recipient = fc
  .tuple(fc.constantFrom(...NUMBERS), fc.constantFrom(...ENDINGS))
  .map(([start, end]) => start + end)
const moment = fc.record({
  /** Within a second, or a good part of a day. */
  pause: fc.oneof(fc.constantFrom(0, 0.000_1), fc.double({ min: 0, max: 1, noNaN: true })),
  recipients: fc.array(recipient, { minLength: 1, maxLength: 8 }),
  Content: fc.constantFrom('Hello', 'a'.repeat(161), 'шалом'),
  /** When a message of this moment is scheduled for, and whether it is cancelled before. */
  laterMs: fc.option(fc.integer({ min: 1_000, max: 7_200_000 })),
  cancelled: fc.boolean(),
})

/** A wallet's life: messages of all ends, in one go or hours apart, some scheduled or cancelled. */
export async function liveThrough(bench: Bench, moments: number, longestPauseMs: number): Promise<void> {
  for (const { pause, recipients, Content, laterMs, cancelled } of fc.sample(moment, {
    numRuns: moments,
    seed: 7,
  })) {
    const Recipients = recipients.map((To) => ({ To }))
    const bulk = { From: MESSAGE.From, Content, Recipients }
    const { status } = await bench.call('POST', '/v1/messages/sms/bulk/otm', {}, bulk)
    if (status !== 200) throw new Error(`a bulk was answered ${status}`)
    if (laterMs !== null) {
      const { Ticket } = await schedule(bench, at(bench.now() + laterMs), { To: recipients[0] ?? '' })
      if (cancelled) await cancel(bench, Ticket)
    }
    await bench.advance(Math.round(pause * longestPauseMs))
  }
  await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)
  await schedule(bench, at(bench.now() + 86_400_000))
  await bench.advance(1)
}

export const insightsOf = ({ call }: Bench, query: Record<string, string>) =>
  answerOf(call('GET', `/v1/insights/delivery?${new URLSearchParams(query)}`), zDeliveryInsights)
