/**
 * Receives the callback of a message and checks its signature. The sandbox may post to this machine. Express takes the
 * same receiver: `app.post('/callbacks/sms', toNodeHandler(…))`, before `express.json()`.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CallbackPayload, callbackHandler, toNodeHandler } from '@wigwag/sdk'
import { connect, required } from './connection.ts'

const sms = connect()
const secret = required('WIGWAG_CALLBACK_SECRET')

const received = Promise.withResolvers<CallbackPayload>()
const receiver = createServer(
  toNodeHandler(callbackHandler(secret, async (payload) => received.resolve(payload))),
)
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const { port } = receiver.address() as AddressInfo

const sent = await sms.sendSms({
  From: 'WIGWAG',
  To: '233241234567',
  Content: 'Your order 1042 is on its way.',
  Reference: 'order-1042',
  CallbackUrl: `http://127.0.0.1:${port}/callbacks/sms`,
})

const payload = await received.promise
console.log('the callback says', payload)
assert.equal(payload.Ticket, sent.Ticket)
assert.equal(payload.ClientReference, 'order-1042')
assert.equal(payload.Status, 'success')
// It ends when the answer is out and the gateway's connection has been idle for a moment.
receiver.keepAliveTimeout = 100
receiver.close()
