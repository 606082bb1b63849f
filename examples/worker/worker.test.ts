/** Needs a gateway that runs, and its `export` lines. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const env = { ...process.env, CLOUDFLARE_INCLUDE_PROCESS_ENV: 'true' }
const wrangler = spawn(process.execPath, ['node_modules/wrangler/bin/wrangler.js', 'dev', '--port', '0'], {
  env,
})
let said = ''
const url = await new Promise<string>((resolve, reject) => {
  wrangler.on('exit', () => reject(new Error(said)))
  for (const stream of [wrangler.stdout, wrangler.stderr])
    stream.on('data', (chunk) => {
      said += chunk
      const [, found] = /Ready on (http:\/\/\S+)/.exec(said) ?? []
      if (found) resolve(found.replace('localhost', '127.0.0.1'))
    })
})
test.after(async () => {
  wrangler.removeAllListeners('exit').kill()
  await once(wrangler, 'exit')
})

test('an order hears what became of its message', { timeout: 120_000 }, async () => {
  const order = `order-${Date.now()}`
  const sent = await fetch(`${url}/orders/${order}`, { method: 'POST', body: '233241234567' })
  assert.equal(sent.status, 202)
  const again = await fetch(`${url}/orders/${order}`, { method: 'POST', body: '233241234567' })
  assert.deepEqual(await again.json(), await sent.json())
  const read = async () => (await (await fetch(`${url}/orders/${order}`)).json()).status
  while ((await read()) === null) await sleep(200)
  assert.equal(await read(), 'success')
})

test('a forgery is refused', async () => {
  const forged = await fetch(`${url}/callbacks`, { method: 'POST', body: '{"Status":"success"}' })
  assert.equal(forged.status, 401)
})
