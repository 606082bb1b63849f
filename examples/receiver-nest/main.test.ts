import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSandbox } from '@wigwag/server/testing'

process.env.PORT = '0' // any free one
const { app } = await import('./main.js')
const url = `${await app.getUrl()}/callbacks`
test.after(() => app.close())

const sandbox = await createSandbox({
  startAt: new Date(),
  onCallback: ({ headers, body }) => fetch(url, { method: 'POST', headers, body }),
})
process.env.WIGWAG_CALLBACK_SECRET = sandbox.credentials.callbackSecret
test.after(() => sandbox.close())

test('a callback is handled once, however often it comes', async ({ mock }) => {
  const log = mock.method(console, 'log', () => {})
  const message = { To: '233241234567', Content: 'Your order is on its way.', Reference: 'order-1042' }
  await sandbox.client.sendSms({ ...message, CallbackUrl: 'https://shop.example/callbacks' })
  await sandbox.clock.advance('1m')
  const [callback] = sandbox.callbacks
  assert(callback)
  const { headers, body } = callback
  assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 204)
  assert.deepEqual(
    log.mock.calls.map(({ arguments: words }) => words),
    [['order-1042', 'success']],
  )
})

test('a forgery is refused', async () => {
  assert.equal((await fetch(url, { method: 'POST', body: '{"Status":"success"}' })).status, 401)
})
