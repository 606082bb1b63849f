import { expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'

/** The addresses that the document names, as it is served under a host of the caller's choice. */
async function serversOf({ call }: Awaited<ReturnType<typeof openHarness>>): Promise<unknown> {
  const response = await call('GET', '/openapi.json', {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
  })
  const text = await response.text()
  expect(text).not.toContain('evil.example')
  expect(text).not.toContain('gateway.invalid')
  return JSON.parse(text).servers.map(({ url }: { url: string }) => url)
}

it('serves the document with the public address, whatever the Host header says', async () => {
  const harness = await openHarness({ publicUrl: 'https://sms.example.com' })
  expect(await serversOf(harness)).toEqual(['https://sms.example.com'])
})

it('serves the document with a relative address where no public one is set', async () => {
  expect(await serversOf(await openHarness())).toEqual(['/'])
})

it('serves what tools read, and nothing that is for our generators alone', async () => {
  const { call } = await openHarness()
  const text = await (await call('GET', '/openapi.json', {})).text()
  const extensions = new Set([...text.matchAll(/"(x-[a-z-]+)":/g)].map(([, name]) => name))
  expect(extensions).toEqual(new Set(['x-extensible-enum', 'x-logo']))
  const { Status, KnownStatus } = JSON.parse(text).components.schemas
  expect(Status.enum).toBeUndefined()
  expect(Status['x-extensible-enum']).toEqual(KnownStatus.enum)
})
