import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@wigwag/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Server, startServer } from '../../packages/server/test/process/server.ts'
import { eventually } from '../../packages/server/test/support/eventually.ts'

const root = join(import.meta.dirname, '../..')
let folder: string
let server: Server
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wigwag-first-screen-'))
  server = await startServer({ folder, env: {} })
  await eventually('the banner is whole', async () => server.said().includes('Stop with Ctrl-C'))
})
afterAll(async () => {
  await server.kill()
  await rm(folder, { recursive: true, force: true })
})

it('shows what the two commands print', async () => {
  const banner = server.said()
  const block = /```console\n([\s\S]*?)```/.exec(await readFile(join(root, 'README.md'), 'utf8'))?.[1] ?? ''
  const [, start = '', answer = ''] = /^\$ npm start\n([\s\S]*?)\n…\n\$ curl .*\n([\s\S]*)$/.exec(block) ?? []
  const port = /127\.0\.0\.1:(\d+)/.exec(banner)?.[1]
  const deskPort = /localhost:(\d+)/.exec(banner)?.[1]
  const shownStart = start.replaceAll('8080', `${port}`).replaceAll('8081', `${deskPort}`)
  expect(banner.slice(0, shownStart.length + 1)).toBe(`${shownStart}\n`)

  const curl = /curl (\S+) [\s\S]*?-u (\S+) [\s\S]*?'X-Wallet: (.*?)'[\s\S]*?-d '(.*?)'/.exec(banner)
  const [, url = '', user = '', wallet = '', body = ''] = curl ?? []
  const headers = {
    authorization: `Basic ${btoa(user)}`,
    'x-wallet': wallet,
    'content-type': 'application/json',
  }
  const response = await fetch(url, { method: 'POST', headers, body })
  const shown = answer
    .trim()
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/[0-9a-f]{8}-…/g, '[0-9a-f-]{36}')
  expect(await response.text()).toMatch(new RegExp(`^${shown}$`))
})

it('shows what the program prints', async () => {
  const banner = server.said()
  const variable = (name: string) => new RegExp(`export ${name}=(\\S+)`).exec(banner)?.[1] ?? ''
  const sms = createClient({
    baseUrl: variable('WIGWAG_BASE_URL'),
    clientId: variable('WIGWAG_CLIENT_ID'),
    clientSecret: variable('WIGWAG_CLIENT_SECRET'),
    walletToken: variable('WIGWAG_WALLET_TOKEN'),
    from: variable('WIGWAG_FROM'),
  })
  const { Ticket } = await sms.sendSms({ To: '233241234567', Content: 'Your order is on its way.' })
  const { Status, Cost } = await sms.waitForFinal(Ticket)
  const shown = /console\.log\(Status, Cost\) \/\/ (.*)/.exec(
    await readFile(join(root, 'README.md'), 'utf8'),
  )?.[1]
  expect(`${Status} ${Cost}`).toBe(shown)
})
