import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { ownIdentity } from '../../src/cli/own-identity.ts'
import { readSettings } from '../../src/cli/settings.ts'
import { listen } from '../fixtures/listen.ts'

it('the connector names itself to the gateway, and the Node that it runs on', async () => {
  const names: (string | null)[] = []
  const { port, close } = await listen(({ headers }) => {
    names.push(headers.get('user-agent'))
    return Response.json({ balance: 1, currency: 'GHS', asOf: '2026-11-20T09:31:00.000Z' })
  })
  onTestFinished(close)
  const settings = readSettings(['--read-only', '--state', join(tmpdir(), 'wigwag-own-name.json')], {
    WIGWAG_BASE_URL: `http://127.0.0.1:${port}`,
    WIGWAG_CLIENT_ID: 'acme',
    WIGWAG_CLIENT_SECRET: 'secret',
    WIGWAG_WALLET_TOKEN: 'token',
  })
  if (settings.kind !== 'client') throw new Error('expected the credentials of a client')
  await ownIdentity(settings)
  expect(names).toEqual([`wigwag-mcp/${packageJson.version} node/${process.versions.node}`])
})
