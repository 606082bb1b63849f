/** A program that sends a bulk, stores its checkpoint in a file, and goes on from there if it is started again. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createClient, type ManyCheckpoint } from '../../src/index.ts'
import { list, message } from '../bulk-gateway.ts'

const [baseUrl = '', file = '', count = '', Content = ''] = process.argv.slice(2)

/** Replaces the file at once, so that a kill leaves the old one or the new one. */
function store(checkpoint: ManyCheckpoint): void {
  writeFileSync(`${file}.new`, JSON.stringify(checkpoint))
  renameSync(`${file}.new`, file)
}

function stored(): ManyCheckpoint | undefined {
  const text = readFileSync(file, 'utf8')
  return text ? JSON.parse(text) : undefined
}

const sms = createClient({ baseUrl, accessToken: 'token' })
const report = await sms.sendToMany({ ...message, Content }, list(Number(count)), {
  resume: stored(),
  partSize: 10,
  concurrency: 3,
  onProgress: ({ checkpoint }) => store(checkpoint),
})
const { error, uncertain } = report
console.log(JSON.stringify({ error: error === undefined ? null : String(error), uncertain }))
