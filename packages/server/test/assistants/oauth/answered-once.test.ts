import { expect, it, onTestFinished, vi } from 'vitest'
import { openFront } from '../../support/front.ts'

it('an answer of the sign-in is sent once', async () => {
  const front = await openFront(':memory:')
  onTestFinished(() => front.close())
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => complaints.mockRestore())
  const body = new URLSearchParams({ grant_type: 'refresh_token' })
  const response = await fetch(`${front.url}/oauth/token`, { method: 'POST', body })
  expect(await response.json()).toMatchObject({ error: 'invalid_request' })
  // One connection is answered in order, so what the first answer left behind is done.
  await (await fetch(`${front.url}/livez`)).text()
  expect(complaints.mock.calls).toEqual([])
})
