import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { catalogue, type ProblemCode } from '../../src/kernel/errors.ts'

/** Codes that `isolation/refusals.test.ts` tests for every operation with a wallet or a body. */
const EVERYWHERE = [
  'invalid_credentials',
  'wallet_token_missing',
  'wallet_forbidden',
  'account_suspended',
  'request_timeout',
  'rate_limited',
  'internal_error',
  'unavailable',
] as const
const SEND = [
  'internal_error',
  'invalid_json',
  'invalid_idempotency_key',
  'insufficient_funds',
  'sender_not_approved',
  'insufficient_scope',
  'limit_reached',
  'recipient_not_allowed',
  'idempotency_in_progress',
  'body_too_large',
  'unsupported_media_type',
  'missing_field',
  'invalid_type',
  'invalid_value',
  'invalid_recipient',
  'invalid_sender',
  'content_empty',
  'content_too_long',
  'content_invalid',
  'invalid_callback_url',
  'no_rate',
  'idempotency_key_reused',
  'outcome_unknown',
] as const

/** Which other errors an operation can answer with, or what more it says of those. Each has a test in its folder, in its status's file. */
const promised: Record<string, readonly ProblemCode[]> = {
  'send-sms': [...SEND, 'request_timeout', 'rate_limited'],
  'send-bulk-sms': [...SEND, 'too_many_recipients'],
  'get-transaction-status': ['transaction_not_found'],
  'get-balance': [],
  platform: ['route_not_found', 'method_not_allowed', 'invalid_json'],
}

/** Codes that only the extension operations answer with. */
const ELSEWHERE: ProblemCode[] = [
  'not_cancellable',
  'scheduled_elsewhere',
  'invalid_send_at',
  'key_not_found',
  'key_not_current',
  'too_many',
]

const here = import.meta.dirname
const rows = Object.entries(promised).flatMap(([folder, codes]) =>
  codes.map((code) => [folder, code] as const),
)
const refusals = readFileSync(join(here, '../isolation/refusals.test.ts'), 'utf8')
/** The text of a test file; empty when there is none. */
const read = (name: string) => (existsSync(join(here, name)) ? readFileSync(join(here, name), 'utf8') : '')

describe('the catalogue of errors', () => {
  it.each(rows)('%s promises %s, and a test holds it to that', (folder, code) => {
    const own = read(`${folder}/${catalogue[code][0]}.test.ts`)
    const ofSends = folder.startsWith('send-') ? read(`sends/${catalogue[code][0]}.test.ts`) : ''
    const fields = own.includes("from '../wrong-fields.ts'") ? read('wrong-fields.ts') : ''
    const text = [own, ofSends, fields].join('\n')
    expect(text).toMatch(/\b(refuses|expectProblem)\(/)
    expect(text).toContain(`'${code}'`)
  })

  it.each(EVERYWHERE)('promises %s everywhere, and a test holds every operation to that', (code) => {
    expect(refusals).toMatch(new RegExp(`\\b(refuses|expectProblem)\\(.*'${code}'`))
  })

  it('has no code that nobody promises', () => {
    const known = new Set([...EVERYWHERE, ...Object.values(promised).flat(), ...ELSEWHERE])
    expect([...known].sort()).toEqual(Object.keys(catalogue).sort())
  })

  it('is tested in files that are named by the status of what they test', () => {
    for (const name of globSync('{send-sms,send-bulk-sms,get-transaction-status,get-balance}/*.test.ts', {
      cwd: here,
    })) {
      const [folder = '', file = ''] = name.split('/')
      const statuses = promised[folder]?.map((code) => `${catalogue[code][0]}.test.ts`) ?? []
      expect([...statuses, '200.test.ts']).toContain(file)
    }
  })
})
