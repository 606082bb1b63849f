import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { walletsOf } from '../../src/money/wallets.ts'
import { insertRows } from '../../src/store/rows.ts'
import { Exports } from '../../src/web/files.ts'
import { cookiesFor } from '../assistants/oauth/cookie-jar.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { messageRow } from '../history/message-rows.ts'

/** A file of three parts. */
function file(): Promise<Response> {
  const parts = ['a', 'b', 'c']
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts.shift()
      if (part === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(part))
    },
  })
  return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/csv' } }))
}

it('an account reads one file at a time, until its end or until it is left', async () => {
  const exports = new Exports(() => 0)
  const first = await exports.begin('a', file)
  expect(await exports.begin('a', file)).toBe(undefined)
  expect(await (await exports.begin('b', file))?.text()).toBe('abc')
  expect(first?.headers.get('content-type')).toBe('text/csv')
  expect(await first?.text()).toBe('abc')
  const second = await exports.begin('a', file)
  await second?.body?.cancel()
  await expect(exports.begin('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect((await exports.begin('a', async () => new Response(null, { status: 303 })))?.status).toBe(303)
  expect(await (await exports.begin('a', file))?.text()).toBe('abc')
})

it('a file that is not read on gives way to the next after a while, and is broken off', async () => {
  let now = 0
  const exports = new Exports(() => now)
  const reader = (await exports.begin('a', file))?.body?.getReader()
  now = 20_000
  await reader?.read()
  now = 49_999
  expect(await exports.begin('a', file)).toBe(undefined)
  now = 50_000
  const next = await exports.begin('a', file)
  await expect(reader?.read()).rejects.toThrow('was not read on')
  expect(await exports.begin('a', file)).toBe(undefined)
  expect(await next?.text()).toBe('abc')
})

it('the console answers 429 to a second download of an account, whichever file it is', async () => {
  const world = await openWorld()
  const [ama, kofi] = [await world.resident('ama'), await world.resident('kofi')]
  const [wallet] = await world.gateway.database.read((tx) => walletsOf(tx, ama.accountId))
  if (!wallet) throw new Error('an account has a wallet')
  // More than sockets take in before somebody reads.
  const content = 'x'.repeat(10_000)
  const rows = Array.from({ length: 1_500 }, (_, n) => messageRow(wallet, { createdAt: epochMs(n), content }))
  await world.gateway.database.write((tx) => insertRows(tx, tx.t.messages, rows))
  const headers = { cookie: cookiesFor(ama.person.cookies, world.url) }
  const first = await new Promise<IncomingMessage>((resolve) =>
    get(`${world.url}/messages.csv`, { headers }, resolve),
  )
  expect(first.statusCode).toBe(200)
  for (const path of ['/messages.csv', '/wallet.csv', '/callbacks.csv', '/rates.csv', '/scheduled.csv']) {
    const refused = await ama.person.visit(`${world.url}${path}`)
    expect([path, refused.status, refused.headers.get('retry-after')]).toEqual([path, 429, '5'])
    expect(refused.text).toContain('one file at a time')
  }
  expect((await kofi.person.visit(`${world.url}/wallet.csv`)).status).toBe(200)
  expect((await text(first)).split('\r\n')).toHaveLength(1_502)
  expect((await ama.person.visit(`${world.url}/wallet.csv`)).status).toBe(200)
})
