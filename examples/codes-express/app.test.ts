import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createSandbox } from '@wigwag/server/testing'
import { createApp } from './app.ts'

const stranger = '233209999999'
const sandbox = await createSandbox()
const app = createApp({
  sms: sandbox.client,
  isCustomer: (phone) => phone !== stranger,
  secret: 'of this test',
  now: () => sandbox.clock.now().getTime(),
})
const server = createServer(app).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
test.after(async () => {
  server.close()
  await sandbox.close()
})

async function post(path: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(`http://127.0.0.1:${port}${path}`, init)).status
}

test('a code is good once', async () => {
  const phone = '+233 24 123 4567'
  assert.equal(await post('/codes', { phone }), 202)
  const { code, text } = await sandbox.waitForMessage({ to: phone })
  assert.match(text, /^Acme: \d{6} is your code\./)
  assert.equal(await post('/codes/check', { phone, code }), 200)
  assert.equal(await post('/codes/check', { phone, code }), 401)
})

test('a code ends after five wrong guesses', async () => {
  const phone = '233243333333'
  await post('/codes', { phone })
  const { code = '' } = await sandbox.waitForMessage({ to: phone })
  const wrong = code === '000000' ? '000001' : '000000'
  for (let guess = 0; guess < 5; guess++)
    assert.equal(await post('/codes/check', { phone, code: wrong }), 401)
  assert.equal(await post('/codes/check', { phone, code }), 401)
})

test('a code ends after ten minutes', async () => {
  const phone = '233242222222'
  await post('/codes', { phone })
  const { code } = await sandbox.waitForMessage({ to: phone })
  await sandbox.clock.advance('601s')
  assert.equal(await post('/codes/check', { phone, code }), 401)
})

test('a stranger gets the same answer, and no message', async () => {
  assert.equal(await post('/codes', { phone: stranger }), 202)
  const { Items } = await sandbox.client.searchMessages({ To: stranger }).page()
  assert.equal(Items.length, 0)
})

test('a number gets no more than its share', async () => {
  const phone = '233244444444'
  const statuses: number[] = []
  for (let press = 0; press < 4; press++) statuses.push(await post('/codes', { phone }))
  assert.deepEqual(statuses, [202, 202, 202, 429])
})
