/** Sends one message and waits until it is final. */
import assert from 'node:assert/strict'
import { connect } from './connection.ts'

const sms = connect()

const sent = await sms.sendSms({
  From: 'WIGWAG',
  To: '233241234567',
  Content: 'Your order 1042 is on its way.',
  Reference: 'order-1042',
})
console.log(`accepted as ${sent.Ticket}, now ${sent.Status}`)
assert.equal(sent.Status, 'pending')

const final = await sms.waitForFinal(sent.Ticket, { timeout: 30_000 })
console.log(`${final.Status}: cost ${final.Cost}, balance ${final.BalanceBefore} → ${final.BalanceAfter}`)
assert.equal(final.Status, 'success')
assert.equal(final.Reference, 'order-1042')

const { balance, currency } = await sms.getBalance()
console.log(`${balance} ${currency} left`)
