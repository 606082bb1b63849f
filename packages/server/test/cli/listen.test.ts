import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createServer as listenRaw } from 'node:net'
import { signCallback } from '@wigwag/sdk'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { eventually } from '../support/eventually.ts'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { startProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: MovedGateway
let account: AccountSecrets
beforeAll(async () => {
  gateway = await startMovedGateway(folder)
  account = await gateway.createAccount('listen@acme.example')
})

interface Taken {
  headers: IncomingHttpHeaders
  body: string
  hosts: number
}

/** A program of the developer's, which answers as it is told. */
async function startApp(status = 204, headers: Record<string, string> = {}) {
  const taken: Taken[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const hosts = request.rawHeaders.filter((name) => name.toLowerCase() === 'host').length
    taken.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8'), hosts })
    response.writeHead(status, headers).end(status === 204 ? undefined : 'said the app')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}/hooks?a=1`, taken }
}

/** Starts it with `--json`, so that tests can read what it prints. */
function startListening(secret: string | undefined, ...args: string[]) {
  return listenWith(secret, '--json', ...args)
}

async function listenWith(secret: string | undefined, ...args: string[]) {
  const env: Record<string, string> = secret === undefined ? {} : { WIGWAG_CALLBACK_SECRET: secret }
  const listening = startProgram(['listen', '--port', '0', ...args], { cwd: folder, env })
  onTestFinished(() => void listening.child.kill('SIGTERM'))
  const url = await eventually(
    'it says where it takes callbacks',
    () =>
      /^Listening for callbacks of messages whose CallbackUrl .* is (\S+)\n/.exec(listening.stderr())?.[1],
  )
  const lines = () =>
    listening
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { ...listening, url, lines }
}

const PAYLOAD = JSON.stringify({
  ClientReference: '',
  Ticket: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
  Destination: '233241234567',
  Cost: 0,
  BalanceBefore: 1,
  BalanceAfter: 1,
  Status: 'failed',
})

describe('wigwag listen', () => {
  it('prints a callback as a line of JSON when it is asked to, and hands on the same bytes and headers', async () => {
    const app = await startApp()
    const listening = await startListening(account.callbackSecret, '--forward-to', app.url)
    const response = await gateway.send(account, { CallbackUrl: `${listening.url}/cb`, Reference: 'é-1' })
    const { Ticket } = (await response.json()) as { Ticket: string }
    const [line] = await gateway.until('a callback came', () =>
      listening.lines().length > 0 ? listening.lines() : undefined,
    )
    expect(line).toMatchObject({
      verified: true,
      forwarded: 204,
      payload: { Ticket, Status: 'success', ClientReference: 'é-1', Destination: '233241234567' },
    })
    const [taken] = app.taken
    expect(JSON.parse(taken?.body ?? '')).toEqual(line?.payload)
    expect(taken?.headers['webhook-id']).toBe(line?.id)
    expect(taken?.headers['webhook-signature']).toMatch(/^v1,/)
    expect(taken).toMatchObject({ hosts: 1, headers: { host: new URL(app.url).host } })
    listening.child.kill('SIGINT')
    expect(await listening.ended).toBe(0)
  })

  it('prints a line a callback, in columns that stay where they are', async () => {
    const app = await startApp(200)
    const listening = await listenWith(undefined, '--forward-to', app.url)
    const post = (changes: object) =>
      fetch(listening.url, { method: 'POST', body: JSON.stringify({ ...JSON.parse(PAYLOAD), ...changes }) })
    await post({ Status: 'success', ClientReference: 'order-1042', Cost: 0.042 })
    await post({ ClientReference: 'campaign-of-november-2026' })
    await post({ Status: 'undelivered', ClientReference: 'a\u0007b' })
    await post({ Destination: '4915112345678' })
    const printed = listening.stdout().split('\n').slice(0, -1)
    expect(printed.map((line) => line.replace(/^\d\d:\d\d:\d\d /, 'hh:mm:ss '))).toEqual([
      'hh:mm:ss  success      233241234567  order-1042    0.042  → 200',
      'hh:mm:ss  failed       233241234567  campaign-of-november-2026  0      → 200',
      'hh:mm:ss  undelivered  233241234567  a\\u{7}b                    0      → 200',
      'hh:mm:ss  failed       4915112345678  01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f  0      → 200',
    ])
  })

  it('says in the line that the program did not answer, and nothing of it where nothing is handed on', async () => {
    const away = await listenWith(undefined, '--forward-to', 'http://127.0.0.1:1/')
    expect((await fetch(away.url, { method: 'POST', body: PAYLOAD })).status).toBe(502)
    expect(away.stdout()).toMatch(/ 0 {6}→ no answer\n$/)
    const alone = await listenWith(undefined)
    expect((await fetch(alone.url, { method: 'POST', body: PAYLOAD })).status).toBe(204)
    expect(alone.stdout()).toMatch(/^\S+ {2}failed {7}233241234567 {2}01932c07-\S+ {2}0\n$/)
  })

  it('hands on every byte as it came, and gives back the answer of the program', async () => {
    const app = await startApp(503, { 'retry-after': '7' })
    const listening = await startListening(account.callbackSecret, '--forward-to', app.url)
    const body = ` ${PAYLOAD.replace('"",', '"\\u00e9",')}\n`
    const headers = { ...(await signCallback(body, account.callbackSecret)), 'x-more': 'kept' }
    const response = await fetch(listening.url, { method: 'POST', headers, body })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(await response.text()).toBe('said the app')
    expect(app.taken).toMatchObject([{ body, headers }])
  })

  it('takes both secrets while one takes the place of the other', async () => {
    const rotated = await gateway.operate(['account', 'rotate-callback-secret', account.accountId, '--json'])
    const { callbackSecret, previousUntil } = JSON.parse(rotated.stdout) as Record<string, string>
    expect(Date.parse(previousUntil ?? '') - Date.now()).toBeGreaterThan(23.9 * 3_600_000)
    const old = await startListening(account.callbackSecret)
    const both = await startListening(`${callbackSecret} ${account.callbackSecret}`)
    const fresh = await startListening(callbackSecret)
    await gateway.until('the gateway signs with the new secret', async () => {
      await gateway.send(account, { CallbackUrl: fresh.url })
      return fresh.lines().length > 0
    })
    for (const { url } of [old, both]) await gateway.send(account, { CallbackUrl: url })
    for (const { lines } of [old, both, fresh]) {
      const [line] = await gateway.until('a callback came', () => (lines().length > 0 ? lines() : undefined))
      expect(line).toMatchObject({ verified: true })
    }
  })

  it('refuses what is not signed with the secret, prints nothing of it and hands nothing on', async () => {
    const app = await startApp()
    const listening = await startListening(account.callbackSecret, '--forward-to', app.url)
    const forged = await signCallback(PAYLOAD, 'whsec_Zm9yZ2VkIHNlY3JldA==')
    const response = await fetch(listening.url, { method: 'POST', headers: { ...forged }, body: PAYLOAD })
    expect(response.status).toBe(401)
    expect((await fetch(listening.url, { method: 'POST', body: PAYLOAD })).status).toBe(401)
    expect((await fetch(listening.url)).status).toBe(405)
    expect((await fetch(listening.url, { method: 'POST', body: 'x'.repeat(70_000) })).status).toBe(413)
    expect({ stdout: listening.stdout(), taken: app.taken }).toEqual({ stdout: '', taken: [] })
    expect(listening.stderr()).toContain('A callback was refused: ')
  })

  it('takes nothing but what comes to the printed address when it knows no secret', async () => {
    const app = await startApp()
    const listening = await startListening(undefined, '--forward-to', app.url)
    const { origin, pathname } = new URL(listening.url)
    const fromPage = { origin: 'https://page.example', 'content-type': 'text/plain' }
    for (const path of ['/', '/callbacks/sms', `${pathname}x`, pathname.slice(0, -1), `/${pathname}`])
      expect((await fetch(origin + path, { method: 'POST', headers: fromPage, body: PAYLOAD })).status).toBe(
        404,
      )
    expect({ stdout: listening.stdout(), taken: app.taken }).toEqual({ stdout: '', taken: [] })
    expect((await fetch(`${listening.url}?a=1`, { method: 'POST', body: PAYLOAD })).status).toBe(204)
    expect(app.taken).toMatchObject([{ body: PAYLOAD }])
    const other = await startListening(undefined)
    expect(new URL(other.url).pathname).not.toBe(pathname)
    expect(pathname).toMatch(/^\/[\w-]{22}$/)
  })

  it('answers 502 when the program is away, and prints the callback all the same', async () => {
    const listening = await startListening(undefined, '--forward-to', 'http://127.0.0.1:1/')
    await expect.poll(() => listening.stderr()).toContain('only this address is taken')
    const response = await fetch(listening.url, { method: 'POST', body: PAYLOAD })
    expect(response.status).toBe(502)
    expect(listening.lines()).toMatchObject([{ verified: false, payload: { Status: 'failed' } }])
    expect(listening.stderr()).toContain('did not take a callback')
  })

  it.each([
    ['000', 'answered with the status 0'],
    ['101', 'closed the connection'],
  ])('answers 502 and goes on where the program answers with %s', async (status, why) => {
    const raw = listenRaw((socket) => {
      socket.on('error', () => {})
      const more = status === '101' ? 'upgrade: x\r\nconnection: upgrade' : 'content-length: 0'
      socket.once('data', () => socket.end(`HTTP/1.1 ${status} X\r\n${more}\r\n\r\n`))
    })
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void raw.close())
    const { port } = raw.address() as { port: number }
    const listening = await startListening(undefined, '--forward-to', `http://127.0.0.1:${port}/`)
    for (let posts = 0; posts < 2; posts++)
      expect((await fetch(listening.url, { method: 'POST', body: PAYLOAD })).status).toBe(502)
    expect(listening.lines()).toMatchObject([{ payload: { Status: 'failed' } }, {}])
    expect(listening.stderr()).toContain(why)
  })

  it('refuses a secret that can be none', async () => {
    const listening = startProgram(['listen'], { cwd: folder, env: { WIGWAG_CALLBACK_SECRET: 'secret' } })
    expect(await listening.ended).toBe(2)
    expect(listening.stderr()).toContain('expected a secret of the form whsec_<base64>')
  })
})
