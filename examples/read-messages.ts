/** Reads what was sent, page by page, and one message in full. */
import assert from 'node:assert/strict'
import { connect } from './connection.ts'

const sms = connect()
const To = '233241230009'
const Content = `Your order of ${new Date().toISOString()} is on its way.`
for (let number = 1; number <= 3; number++) await sms.sendSms({ From: 'WIGWAG', To, Content })

const found = []
for await (const message of sms.searchMessages({ To, Limit: 2 })) {
  if (message.Content === Content) found.push(message)
  if (found.length === 3) break // pages that nobody asks for are not read
}
assert.equal(found.length, 3)

const [first] = found
assert(first)
const { Timeline, Segments } = await sms.getMessage(first.MessageId)
for (const { At, Event } of Timeline) console.log(At, Event)
assert.equal(Segments, 1)
