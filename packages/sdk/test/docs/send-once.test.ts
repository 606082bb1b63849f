import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { openSandbox } from '../../../server/src/testing/sandbox.ts'
import { compiled, readme, snippetsOf } from './snippets.ts'

// Inside the repository, so that the packages are found from there; hidden from whatever reads its sources.
const folder = mkdtempSync(join(import.meta.dirname, '.send-once-'))
afterAll(() => rmSync(folder, { recursive: true }))
for (const snippet of snippetsOf(readme)) compiled(folder, snippet)
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const HOUR = 3_600_000

it('a key sends again after a day, and the example that looks for the reference does not', async () => {
  const { client, clock, credentials, fetch, close } = await openSandbox({})
  vi.stubEnv('WIGWAG_BASE_URL', 'http://sandbox.invalid')
  vi.stubEnv('WIGWAG_CLIENT_ID', credentials.clientId)
  vi.stubEnv('WIGWAG_CLIENT_SECRET', credentials.clientSecret)
  vi.stubEnv('WIGWAG_WALLET_TOKEN', credentials.walletToken)
  vi.stubGlobal('fetch', (...request: ConstructorParameters<typeof Request>) =>
    fetch(new Request(...request)),
  )
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const { sendOnce } = await import(join(folder, 'send-once.js'))
  const message = { From: 'WIGWAG', To: '233201234567', Content: 'Hello' }
  const byKey = () => client.sendSms(message, { idempotencyKey: 'a-key' })

  const first = await sendOnce('order-7')
  const { Ticket } = await byKey()
  await clock.advance(23 * HOUR)
  expect((await byKey()).Ticket).toBe(Ticket)
  expect(await sendOnce('order-7')).toBe(first)
  await clock.advance(2 * HOUR)
  expect((await byKey()).Ticket).not.toBe(Ticket)
  expect(await sendOnce('order-7')).toBe(first)
  expect(await sendOnce('order-8')).not.toBe(first)
  await close()
})

it('every doc comment of an idempotency key says how long it lives', () => {
  const source = join(import.meta.dirname, '../../src')
  // Nothing in there is exported.
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('calls/'),
  )
  const texts = files.map((name) => readFileSync(join(source, name), 'utf8'))
  const comments = texts.flatMap((text) => [
    ...text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:declare )?(?:readonly )?idempotencyKey\??:/g),
  ])
  expect(comments.length).toBeGreaterThanOrEqual(3)
  for (const [, comment] of comments) expect(comment).toContain('24 hours')
})
