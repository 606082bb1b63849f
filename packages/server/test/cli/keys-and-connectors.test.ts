import { beforeAll, describe, expect, it } from 'vitest'
import { type RunningGateway, startGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway(folder)
})

const json = async (args: readonly string[]) => {
  const { code, stdout, stderr } = await gateway.operate([...args, '--json'])
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

describe('wigwag keys', () => {
  const published = async (): Promise<string[]> => {
    const { keys } = await (await fetch(`${gateway.url}/oauth/jwks`)).json()
    return keys.map(({ kid }: { kid: string }) => kid)
  }

  it('rotates the keys of a running gateway, which goes on to publish the ones before', async () => {
    const before = await published()
    const { kid, retired } = await json(['keys', 'rotate'])
    expect(retired).toBe(0)
    await expect.poll(published).toEqual([kid, ...before])
  })

  it('publishes nothing that is secret', async () => {
    const { keys } = await (await fetch(`${gateway.url}/oauth/jwks`)).json()
    for (const key of keys)
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  })
})

describe('wigwag connector', () => {
  const introspect = ({ connectorId, connectorSecret }: Record<string, string>) =>
    fetch(`${gateway.url}/oauth/introspect`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${connectorId}:${connectorSecret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ token: 'none' }),
    })

  it('lets a connector in that runs apart, and turns it away when it is removed', async () => {
    const address = 'https://mcp.example.com/mcp'
    const made = await json(['connector', 'add', address])
    expect(made).toEqual({
      connectorId: expect.stringMatching(/^wm_/),
      connectorSecret: expect.stringMatching(/^wx_/),
      address,
    })
    const { connectorId } = made
    expect(await json(['connector', 'list'])).toEqual([
      { connectorId, address, createdAt: expect.any(String) },
    ])
    const asked = await introspect(made)
    expect({ status: asked.status, body: await asked.json() }).toEqual({
      status: 200,
      body: { active: false },
    })
    expect((await introspect({ ...made, connectorSecret: 'wx_wrong' })).status).toBe(401)
    await json(['connector', 'remove', address])
    expect((await introspect(made)).status).toBe(401)
    expect(await json(['connector', 'list'])).toEqual([])
  })

  it.each(['mcp.example.com', 'http://mcp.example.com/mcp', 'https://mcp.example.com/mcp?a=b', 'ftp://x/'])(
    'refuses the address %s, and says what was expected',
    async (address) => {
      const { code, stderr } = await gateway.operate(['connector', 'add', address])
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `wigwag: expected the connector's public address, such as https://mcp.example.com/mcp, got ${JSON.stringify(address)}\n`,
      })
    },
  )

  it('refuses a second one for the same address, and the removal of none', async () => {
    await json(['connector', 'add', 'https://twice.example.com/mcp'])
    const twice = await gateway.operate(['connector', 'add', 'https://twice.example.com/mcp'])
    expect(twice.code).toBe(1)
    expect(twice.stderr).toContain('already a connector')
    const none = await gateway.operate(['connector', 'remove', 'wm_none'])
    expect({ code: none.code, stderr: none.stderr }).toEqual({
      code: 1,
      stderr: 'wigwag: there is no connector wm_none; wigwag connector list shows them all\n',
    })
  })
})
