/** Sends one text to several recipients. One of them cannot be reached, and is not charged. */
import assert from 'node:assert/strict'
import { connect } from './connection.ts'

const sms = connect()

const sent = await sms.sendBulkSms({
  From: 'WIGWAG',
  Content: 'The shop opens at nine tomorrow.',
  Recipients: [
    { To: '233241234567', Reference: 'customer-1' },
    { To: '233201234567', Reference: 'customer-2' },
    { To: '233241200001', Reference: 'customer-3' }, // the simulator delivers nothing to numbers that end in 00001
  ],
})
assert.deepEqual(
  sent.map(({ ClientReference }) => ClientReference),
  ['customer-1', 'customer-2', 'customer-3'],
)

const finals = await Promise.all(sent.map(({ Ticket }) => sms.waitForFinal(Ticket, { timeout: 30_000 })))
for (const { Reference, Status, Cost } of finals) console.log(`${Reference}: ${Status}, cost ${Cost}`)
assert.deepEqual(
  finals.map(({ Status }) => Status),
  ['success', 'success', 'undelivered'],
)
assert.equal(finals[2]?.Cost, 0)
