import { expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'

type Harness = Awaited<ReturnType<typeof openHarness>>

async function read({ call }: Harness): Promise<string> {
  const response = await call('GET', '/llms.txt', {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
  })
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
  return response.text()
}

const linksOf = (text: string) => [...text.matchAll(/\]\((\S+)\)/g)].map(([, link = '']) => link)

it('says to programs what the gateway is, and leads to what it serves', async () => {
  const harness = await openHarness()
  const text = await read(harness)
  expect(text).toMatch(/^# Wigwag Messaging API\n\n> \S/)
  expect(linksOf(text)).toEqual(['/openapi.json', '/docs', '/mcp'])
  for (const link of linksOf(text)) expect((await harness.call('GET', link, {})).status, link).not.toBe(404)
})

it('has the public address in its links, whatever the Host header says', async () => {
  const text = await read(await openHarness({ publicUrl: 'https://sms.example.com' }))
  const url = 'https://sms.example.com'
  expect(linksOf(text)).toEqual([`${url}/openapi.json`, `${url}/docs`, `${url}/mcp`])
  expect(text).not.toContain('evil.example')
})

it('names statuses, codes, headers and fields that the document has', async () => {
  const harness = await openHarness()
  const document = await (await harness.call('GET', '/openapi.json', {})).text()
  const named = [...(await read(harness)).matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name)
  expect(named).toContain('idempotency_in_progress')
  for (const name of named) expect(document).toContain(name)
})
