/** Tells apart what can go wrong with a send, and what to do about it. */
import assert from 'node:assert/strict'
import { ConnectionError, createClient, GatewayError, NotFoundError, ValidationError } from '@wigwag/sdk'
import { connect } from './connection.ts'

const sms = connect()
const message = { From: 'WIGWAG', To: '233241234567', Content: 'Hello' }

function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('nothing went wrong'),
    (error: unknown) => error,
  )
}

// Every field that is wrong is named at once.
const invalid = await errorOf(sms.sendSms({ ...message, To: 'nobody', Content: '' }))
assert(invalid instanceof ValidationError)
for (const { pointer, detail } of invalid.errors) console.log(pointer, detail)
assert.deepEqual(
  invalid.errors.map(({ pointer }) => pointer),
  ['/To', '/Content'],
)

// An error without its own class is told by its code, which never changes.
const refused = await errorOf(sms.sendSms({ ...message, From: 'STRANGER' }))
assert(refused instanceof GatewayError)
console.log(refused.status, refused.code, 'quote to support:', refused.requestId)
assert.deepEqual([refused.status, refused.code], [403, 'sender_not_approved'])

const unknown = await errorOf(sms.getTransactionStatus('00000000-0000-7000-8000-000000000000'))
assert(unknown instanceof NotFoundError)

// Without a connection nothing went out. When `uncertain` is true, ask again with the error's idempotency key.
const nowhere = createClient({ baseUrl: 'http://127.0.0.1:65535', accessToken: 'token', retries: 0 })
const offline = await errorOf(nowhere.sendSms(message))
assert(offline instanceof ConnectionError)
console.log(offline.message, 'key:', offline.idempotencyKey)
assert.equal(offline.uncertain, false)
