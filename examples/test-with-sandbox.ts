/** Tests a program of yours without a network: a whole gateway in memory, with a clock that the test moves. */
import assert from 'node:assert/strict'
import { type Client, InsufficientFundsError, verifyCallback } from '@wigwag/sdk'
import { createSandbox } from '@wigwag/server/testing'

/** The program. */
function tellCustomer(sms: Client, To: string) {
  const Content = 'Your order 1042 is on its way.'
  return sms.sendSms({ From: 'WIGWAG', To, Content, CallbackUrl: 'https://shop.example/callbacks' })
}

const sandbox = await createSandbox({ balance: 0.1 })

// The last digits of the recipient decide what becomes of the message.
const { Ticket } = await tellCustomer(sandbox.client, '233241234567')
await sandbox.clock.advance(60_000)
const final = await sandbox.client.getTransactionStatus(Ticket)
console.log(`${final.Status}, cost ${final.Cost}`)
assert.equal(final.Status, 'success')

const [callback] = sandbox.callbacks
assert(callback)
const now = () => sandbox.clock.now().getTime()
const payload = await verifyCallback(callback, sandbox.credentials.callbackSecret, { now })
assert.equal(payload.Ticket, Ticket)

// And a wallet runs empty as a real one does.
await assert.rejects(async () => {
  for (;;) await tellCustomer(sandbox.client, '233241234567')
}, InsufficientFundsError)
await sandbox.close()
