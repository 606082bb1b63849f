import { describe, expect, it } from 'vitest'
import type { ProblemCode } from '../../../src/kernel/errors.ts'
import { openHarness, shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const cursor = (text: string) => Buffer.from(text).toString('base64url')
const ID = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'

const WRONG: Record<string, readonly string[]> = {
  Limit: ['0', '-1', '201', '1e2', '1.5', '', 'all', '99999999999999999999'],
  Cursor: [
    'x',
    '',
    'null',
    cursor(ID),
    cursor(`1 ${ID.slice(1)}`),
    cursor(`-1 ${ID}`),
    cursor(`1e3 ${ID}`),
    cursor(`1234567890123456 ${ID}`),
    cursor(`1 ${ID} OR 1=1`),
    'A'.repeat(513),
  ],
  Status: ['', 'delivered', 'SUCCESS', 'success '],
  DateFrom: ['', 'yesterday', '2026-01-05', '2026-01-05T09:00:00', '2026-02-30T00:00:00Z', '1767603600000'],
  Reference: ['', 'x'.repeat(129), 'a\0b'],
  DateTo: ['2026-01-05T25:00:00Z', '2026-01-05T09:00:00 01:00', '+012026-01-05T09:00:00Z'],
}
const rows = Object.entries(WRONG).flatMap(([name, values]) => values.map((value) => [name, value] as const))

const shared = shareHarness()

describe('searchMessages: 422', () => {
  it.each(rows)('answers %s=%s, and says that it is what is wrong', async (name, value) => {
    const harness = shared()
    const request = () => harness.call('GET', `/v1/messages?${new URLSearchParams({ [name]: value })}`, {})
    const response = await request()
    const { code }: { code: ProblemCode } = await response.json()
    expect(['invalid_value', 'invalid_type']).toContain(code)
    await refuses(harness, request, code, { errors: { [`/${name}`]: code } })
  })

  it.each([
    ['To', '00233241234567', 'invalid_recipient'],
    ['To', '123', 'invalid_recipient'],
    ['From', 'Café', 'invalid_sender'],
  ] as const)('answers %s=%s with %s', async (name, value, code) => {
    const harness = shared()
    const request = () => harness.call('GET', `/v1/messages?${new URLSearchParams({ [name]: value })}`, {})
    await refuses(harness, request, code, { errors: { [`/${name}`]: code } })
  })

  it('lists every wrong filter, in the order of the document', async () => {
    const harness = await openHarness()
    const query = 'Cursor=&Limit=0&Reference=&From=!&To=1&Status=x&DateTo=x&DateFrom=x'
    await refuses(harness, () => harness.call('GET', `/v1/messages?${query}`, {}), 'invalid_value', {
      errors: {
        '/DateFrom': 'invalid_value',
        '/DateTo': 'invalid_value',
        '/Status': 'invalid_value',
        '/To': 'invalid_recipient',
        '/From': 'invalid_sender',
        '/Reference': 'invalid_value',
        '/Limit': 'invalid_value',
        '/Cursor': 'invalid_value',
      },
    })
  })

  it('says of a filter what it should be, and what came', async () => {
    const { call } = await openHarness()
    const response = await call('GET', '/v1/messages?Limit=201&Status=lost', {})
    const { errors } = await response.json()
    expect(errors.map(({ detail }: { detail: string }) => detail)).toEqual([
      expect.stringMatching(/^Expected Status to be one of pending, success, .*, cancelled; got "lost"\.$/),
      'Expected Limit to be at most 200; got 201.',
    ])
  })
})
