/** Waits until a message is final, and not for ever. */
import assert from 'node:assert/strict'
import { TimeoutError } from '@wigwag/sdk'
import { connect } from './connection.ts'

const sms = connect()
const message = { From: 'WIGWAG', Content: 'Your code is 4711.' }

const sent = await sms.sendSms({ ...message, To: '233241200001' }) // the simulator does not deliver to 00001
const final = await sms.waitForFinal(sent.Ticket, { timeout: 30_000 })
console.log(`${final.Status}, cost ${final.Cost}`)
assert.deepEqual([final.Status, final.Cost], ['undelivered', 0])

const slow = await sms.sendSms({ ...message, To: '233241200005' }) // and 00005 stays pending
await assert.rejects(sms.waitForFinal(slow.Ticket, { timeout: 1_000 }), (error) => {
  console.log(String(error))
  return error instanceof TimeoutError
})

const giveUp = AbortSignal.timeout(500)
await assert.rejects(sms.waitForFinal(slow.Ticket, { signal: giveUp }), { name: 'AbortedError' })
