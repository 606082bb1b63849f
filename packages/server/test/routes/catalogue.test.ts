import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { catalogue, type ProblemCode } from '../../src/domain/errors.ts'

const ALWAYS = [
  'invalid_credentials',
  'account_suspended',
  'rate_limited',
  'internal_error',
  'unavailable',
] as const
const SEND = [
  ...ALWAYS,
  'wallet_token_missing',
  'wallet_forbidden',
  'invalid_json',
  'invalid_idempotency_key',
  'insufficient_funds',
  'sender_not_approved',
  'insufficient_scope',
  'limit_reached',
  'recipient_not_allowed',
  'request_timeout',
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

/** Which errors each operation can answer with. Each has a test in its folder, in its status's file. */
const promised: Record<string, readonly ProblemCode[]> = {
  'send-sms': SEND,
  'send-bulk-sms': [...SEND, 'too_many_recipients'],
  'get-transaction-status': [...ALWAYS, 'transaction_not_found'],
  'get-balance': [...ALWAYS, 'wallet_token_missing', 'wallet_forbidden'],
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
/** What a status's file says, together with what it shares with others: tables of wrong fields, promises of both sends. */
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

  it('has no code that nobody promises', () => {
    const known = new Set([...Object.values(promised).flat(), ...ELSEWHERE])
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
