/** Receives the callback of a message in a Hono app. Next, Bun, Deno and Workers take the same handler. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { type CallbackPayload, callbackHandler } from '@wigwag/sdk'
import { Hono } from 'hono'
import { connect, required } from './connection.ts'

const received = Promise.withResolvers<CallbackPayload>()
const handler = callbackHandler(required('WIGWAG_CALLBACK_SECRET'), (payload) => received.resolve(payload))

const app = new Hono().post('/callbacks/sms', (context) => handler(context.req.raw))
const server = createServer(getRequestListener(app.fetch))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
const CallbackUrl = `http://127.0.0.1:${port}/callbacks/sms`

const forged = await fetch(CallbackUrl, { method: 'POST', body: '{}' })
assert.equal(forged.status, 401)

const sent = await connect().sendSms({ From: 'WIGWAG', To: '233241234567', Content: 'Hello', CallbackUrl })
const payload = await received.promise
console.log('the callback says', payload)
assert.deepEqual([payload.Ticket, payload.Status], [sent.Ticket, 'success'])
// It ends when the answer is out and the gateway's connection has been idle for a moment.
server.keepAliveTimeout = 100
server.close()
