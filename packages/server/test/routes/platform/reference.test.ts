import { expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'

it.each([
  ['/docs', 'text/html'],
  ['/docs/reference.js', 'text/javascript'],
])('sends %s as what it is, to be framed and used by no other site', async (path, type) => {
  const { app } = await openHarness()
  const { status, headers } = await app.fetch(new Request(`http://gateway.invalid${path}`))
  expect(status).toBe(200)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': expect.stringContaining(type),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
  })
})
