/** Sends one text to a list that is read as it goes, in parts, and goes on where an interrupted run has stopped. */
import assert from 'node:assert/strict'
import type { ManyCheckpoint } from '@wigwag/sdk'
import { connect } from './connection.ts'

const sms = connect()
const message = { From: 'WIGWAG', Content: 'The shop opens at nine tomorrow.' }

async function* customers() {
  for (let number = 0; number < 25; number++) {
    yield { To: number === 7 ? 'unknown' : `2332412345${number + 10}`, Reference: `customer-${number}` }
  }
}

let checkpoint: ManyCheckpoint | undefined
const report = await sms.sendToMany(message, customers(), {
  partSize: 10,
  onProgress(progress) {
    checkpoint = progress.checkpoint // plain JSON: keep it in a file or a table
    for (const outcome of progress.outcomes) {
      if (outcome.status === 'refused') console.log(outcome.recipient.Reference, outcome.field?.detail)
    }
  },
})
console.log(`${report.accepted} accepted, ${report.refused} refused, ${report.uncertain} uncertain`)
assert.equal(report.error, undefined)
assert.deepEqual([report.accepted, report.refused, report.uncertain], [24, 1, 0])

const again = await sms.sendToMany(message, customers(), { partSize: 10, resume: checkpoint })
console.log(`the second time ${again.skipped} were skipped`)
assert.deepEqual([again.accepted, again.skipped], [0, 25])
