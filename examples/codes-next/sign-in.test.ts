/** Needs a gateway that runs, and its `export` lines. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { createClient } from '@wigwag/sdk'
import { openInbox } from '@wigwag/sdk/testing'

const app = spawn(process.execPath, ['node_modules/next/dist/bin/next', 'start', '--port', '0'])
const url = await new Promise<string>((resolve) => {
  app.stdout.on('data', (said) => {
    const [found] = /http:\/\/localhost:\d+/.exec(String(said)) ?? []
    if (found) resolve(found)
  })
})
test.after(async () => {
  app.kill()
  await once(app, 'exit')
})

const call = (method: 'POST' | 'PUT', fields: object) =>
  fetch(`${url}/codes`, { method, body: JSON.stringify(fields) })

test('a person signs in with the code on the phone, once', async () => {
  const inbox = await openInbox(createClient())
  const phone = '+233 20 123 4567'
  assert.equal((await call('POST', { phone })).status, 202)
  const { code } = await inbox.waitForMessage({ to: phone, timeout: 30_000 })
  assert.equal((await call('PUT', { phone, code: '' })).status, 401)
  assert.equal((await call('PUT', { phone, code })).status, 200)
  assert.equal((await call('PUT', { phone, code })).status, 401)
})

test('the page asks for a phone', async () => {
  assert.match(await (await fetch(url)).text(), /<input type="tel"/)
})
