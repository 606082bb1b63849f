import { zProblem, zSendResult } from '@wigwag/contract/validators'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../../src/kernel/errors.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { BULK, type Harness, MESSAGE, openHarness } from '../../support/harness.ts'

const anything = fc.anything({ withNullPrototype: true, maxDepth: 4 })
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    '\udfff\ud800',
    '\ufeff',
    '\u202e',
    '😀'.repeat(400),
    '+',
    '233241234567',
    'WIGWAG',
  ),
)
const value = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: anything })
const NAMES = [
  'From',
  'To',
  'Content',
  'Reference',
  'CallbackUrl',
  'callbackUrl',
  'Recipients',
  '__proto__',
  'toString',
]
const fields = fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 6 })
const recipients = fc.array(fc.oneof(fields, value, fc.constant({ To: '233241234567' })), { maxLength: 20 })

const bodies = fc.oneof(
  anything.map(json),
  fields.map(json),
  fields.map((changes) => json({ ...MESSAGE, ...changes })),
  fc.tuple(fields, recipients).map(([changes, Recipients]) => json({ ...BULK, ...changes, Recipients })),
  fc.json(),
  // JSON with some of its characters turned into others.
  fc.tuple(fc.nat(80), text).map(([at, noise]) => json(BULK).slice(0, at) + noise + json(BULK).slice(at + 1)),
)

/** JSON of anything at all; what JSON cannot say becomes null. */
function json(input: unknown): string {
  const plain = (_: string, part: unknown) => (typeof part === 'bigint' ? String(part) : part)
  return JSON.stringify(input, plain) ?? 'null'
}

/** Tries anything: the answer is a documented success or problem, and never a fault of ours. */
async function answersInDocumentedWords(
  { sendSms, sendBulkSms }: Harness,
  body: string | Uint8Array<ArrayBuffer>,
) {
  for (const response of [await sendSms(body), await sendBulkSms(body)]) {
    const answer: unknown = await response.json()
    if (response.status === 200) {
      zSendResult.strict().or(zSendResult.strict().array()).parse(answer)
    } else {
      const { code, detail, errors = [] } = zProblem.strict().parse(answer)
      expect([code in catalogue, response.status]).toEqual([true, expect.not.toBeOneOf([500, 503])])
      expect(detail).toMatch(/^[A-Z][\s\S]*\.$/)
      expect(new Set(errors.map(({ pointer }) => pointer)).size).toBe(errors.length)
    }
  }
}

/** `rounds` for each operation and kind of request. */
export function answersAnything(rounds: number): void {
  describe('both sends', () => {
    it('answer any JSON in documented words', async () => {
      const harness = await openHarness()
      await fc.assert(
        fc.asyncProperty(bodies, (body) => answersInDocumentedWords(harness, body)),
        { numRuns: 3 * rounds },
      )
    })

    it('answer any bytes in documented words', async () => {
      const harness = await openHarness()
      const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Uint8Array.from(array))
      await fc.assert(
        fc.asyncProperty(bytes, (body) => answersInDocumentedWords(harness, body)),
        { numRuns: rounds },
      )
    })
  })

  describe('every operation', () => {
    it('answers any header and any ticket in documented words', async () => {
      const harness = await openHarness()
      const header = fc.string({
        unit: fc.integer({ min: 0x20, max: 0xff }).map((n) => String.fromCharCode(n)),
      })
      const tickets = fc.string().map(encodeURIComponent)
      const request = fc.record({
        authorization: header,
        'x-wallet': header,
        'idempotency-key': header,
        'content-type': header,
      })
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            request,
            ticket: tickets,
            only: fc.constantFrom('authorization', 'x-wallet', 'idempotency-key', 'content-type'),
          }),
          async ({ request, ticket, only }) => {
            const changes = { [only]: request[only] }
            const { getStatus, getBalance, sendSms } = harness
            for (const response of [
              await getStatus(ticket, changes),
              await getBalance(changes),
              await sendSms(MESSAGE, changes),
            ]) {
              if (response.status === 200) continue
              const { code } = zProblem.strict().parse(await response.json())
              expect([code in catalogue, code]).toEqual([true, expect.not.stringMatching('internal_error')])
            }
          },
        ),
        { numRuns: rounds },
      )
    })
  })
}
