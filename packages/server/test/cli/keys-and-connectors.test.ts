import { beforeAll, describe, expect, it } from 'vitest'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: MovedGateway
beforeAll(async () => {
  gateway = await startMovedGateway(folder)
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
    await gateway.until('it is published', async () => (await published()).length > before.length)
    expect(await published()).toEqual([kid, ...before])
  })

  it('lists the keys of an account with their last use, without a secret', async () => {
    const account = await gateway.createAccount('keys@acme.example')
    expect(await json(['keys', 'list', account.accountId])).toMatchObject([
      { kind: 'callback', ending: account.callbackSecret.slice(-4), lastUsedAt: null, endsAt: null },
      { kind: 'client', ending: account.clientSecret.slice(-4), lastUsedAt: null, endsAt: null },
      { kind: 'wallet', ending: account.walletToken.slice(-4), lastUsedAt: null, endsAt: null },
    ])
    await gateway.balanceOf(account)
    const used = () =>
      json(['keys', 'list', account.accountId]).then((keys: { lastUsedAt: string | null }[]) =>
        keys.map(({ lastUsedAt }) => lastUsedAt !== null),
      )
    await gateway.until('both uses are written', async () => (await used()).filter(Boolean).length === 2)
    expect(await used()).toEqual([false, true, true])
    const { stdout } = await gateway.operate(['keys', 'list', 'keys@acme.example'])
    expect(stdout).toMatch(/^\S+ +client secret +\S{4} +20\S+ +20\S+T\d\d:\d\d +it is replaced$/m)
    expect(stdout).toMatch(/^\S+ +callback secret +\S{4} +20\S+ +never +it is replaced$/m)
    for (const secret of [account.clientSecret, account.walletToken, account.callbackSecret])
      expect(stdout).not.toContain(secret)
  })

  it('ends one old key now and makes none: the current one and the other old ones work on', async () => {
    const account = await gateway.createAccount('old@acme.example')
    const rotate = async () =>
      (await json(['account', 'rotate-secret', account.accountId, '--keep', '7d'])) as typeof account
    const second = { ...account, clientSecret: (await rotate()).clientSecret }
    const third = { ...account, clientSecret: (await rotate()).clientSecret }
    const clients = async () => {
      const keys = (await json(['keys', 'list', account.accountId])) as {
        keyId: string
        kind: string
        ending: string
        endsAt: string | null
      }[]
      return keys.filter(({ kind }) => kind === 'client')
    }
    const before = await clients()
    expect(before.map(({ endsAt }) => endsAt === null)).toEqual([true, false, false])
    const oldest = before[2]
    expect(oldest?.ending).toBe(account.clientSecret.slice(-4))
    const ended = await gateway.operate(['keys', 'end', 'old@acme.example', oldest?.keyId ?? ''])
    expect(ended).toMatchObject({ code: 0, stdout: '' })
    expect(ended.stderr).toMatch(
      /^The old client secret that ends in \S{4} stops working within a second; it was never used\.$/m,
    )
    await gateway.until('it is refused', async () => (await gateway.send(account)).status === 401)
    for (const credentials of [second, third])
      expect((await gateway.send({ ...account, ...credentials })).status).toBe(200)
    expect((await clients()).map(({ keyId }) => keyId)).toEqual(before.slice(0, 2).map(({ keyId }) => keyId))
    const audit = await json(['audit', '--account', account.accountId, '--action', 'account.end-key'])
    expect(audit).toMatchObject([{ detail: { key: oldest?.keyId } }])
  })

  it('ends neither a current key, nor one of another account, nor one that has ended', async () => {
    const account = await gateway.createAccount('current@acme.example')
    const other = await gateway.createAccount('neighbour@acme.example')
    const [, client] = (await json(['keys', 'list', account.accountId])) as { keyId: string }[]
    const keyId = client?.keyId ?? ''
    const current = await gateway.operate(['keys', 'end', account.accountId, keyId])
    expect({ code: current.code, stderr: current.stderr }).toEqual({
      code: 1,
      stderr: `wigwag: ${keyId} is the current client key, and only old ones can be ended: wigwag account rotate-secret replaces it\n`,
    })
    await json(['account', 'rotate-secret', account.accountId, '--keep', '1h'])
    const end = (whose: string) => gateway.operate(['keys', 'end', whose, keyId])
    const none = (accountId: string) =>
      `wigwag: account ${accountId} has no key ${keyId} that still works; wigwag keys list ${accountId} shows them all\n`
    expect(await end(other.accountId)).toMatchObject({ code: 1, stderr: none(other.accountId) })
    expect((await end(account.accountId)).code).toBe(0)
    expect(await end(account.accountId)).toMatchObject({ code: 1, stderr: none(account.accountId) })
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
