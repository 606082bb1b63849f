import { afterAll, describe, expect, it } from 'vitest'
import { listen } from '../../src/net/server/listen.ts'
import { createSandbox } from '../../src/testing/index.ts'
import { shareBrowser } from './chromium.ts'

const sandbox = await createSandbox()
afterAll(() => sandbox.close())
const listener = await listen({
  app: { fetch: (request: Request) => sandbox.fetch(request) },
  host: '127.0.0.1',
  port: 0,
  requestId: () => 'test',
})
afterAll(() => listener.close(1_000))
const browser = await shareBrowser()
const requested: string[] = []
const complaints: string[] = []
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
afterAll(() => context.close())
const page = await context.newPage()
page.on('request', (request) => requested.push(request.url()))
page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
page.on('pageerror', (error) => complaints.push(error.message))
await page.goto(`${listener.url}/docs`)
await page.getByRole('heading', { name: 'Wigwag Messaging API' }).waitFor()

function operationsOf(json: string, tag: string): string[] {
  const { paths } = JSON.parse(json) as {
    paths: Record<string, Record<string, { tags?: string[]; summary: string }>>
  }
  return Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ tags, summary }) => (tags?.includes(tag) ? [summary] : [])),
  )
}

describe('the API reference page', () => {
  it('shows every operation of the document', async () => {
    const document = JSON.stringify(await (await page.request.get(`${listener.url}/openapi.json`)).json())
    for (const tag of ['Messages', 'Transactions', 'Account', 'Scheduling', 'Callbacks']) {
      await page.goto(`${listener.url}/docs#tag/${tag.toLowerCase()}`)
      const summaries = operationsOf(document, tag)
      expect(summaries.length).toBeGreaterThan(0)
      for (const summary of summaries) await page.getByText(summary).first().waitFor()
    }
  })

  it('shows samples that call the gateway that it was fetched from', async () => {
    await page.goto(`${listener.url}/docs#tag/account`)
    const sample = `curl ${listener.url}/v1/account/balance`
    await page.waitForFunction((text) => document.body.innerText.includes(text), sample)
  })

  it('asks nothing of any other host', () => {
    const others = requested.filter((url) => !url.startsWith(listener.url) && !/^(data|blob):/.test(url))
    expect(others).toEqual([])
    expect(requested.length).toBeGreaterThan(2)
  })

  it('runs without an error, under a strict content security policy', () => {
    expect(complaints).toEqual([])
  })
})
