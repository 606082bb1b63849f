import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { configLink, configSnippet, remoteLink, remoteSnippet } from '../src/index.ts'

const given = {
  WIGWAG_BASE_URL: 'https://sms.example',
  WIGWAG_CLIENT_ID: 'acme',
  WIGWAG_CLIENT_SECRET: "it's $HOME; a secret",
  WIGWAG_WALLET_TOKEN: 'wallet-1',
}
/** Printed where no limit is set. */
const LIMIT = { WIGWAG_MCP_DAILY_SPEND: '5' }
const started = { command: 'npx', args: ['-y', '@wigwag/mcp'] }

describe('the command for Claude Code', () => {
  it('names the server before its variables, which may contain any characters', () => {
    expect(claudeReceives(configSnippet('claude-code', given))).toEqual([
      'mcp',
      'add',
      'wigwag',
      '--transport',
      'stdio',
      ...Object.entries({ ...given, ...LIMIT }).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      '--',
      started.command,
      ...started.args,
    ])
  })
})

describe.each(['claude-desktop', 'cursor'])('the file for %s', (client) => {
  it('starts the connector with every credential', () => {
    expect(JSON.parse(configSnippet(client, given))).toEqual({
      mcpServers: { wigwag: { ...started, env: { ...given, ...LIMIT } } },
    })
  })

  it('has a limit on spend, and the one that is set in its place', () => {
    const spendOf = (env: Record<string, string>) =>
      JSON.parse(configSnippet(client, env)).mcpServers.wigwag.env.WIGWAG_MCP_DAILY_SPEND
    expect([{}, { WIGWAG_MCP_DAILY_SPEND: '' }, { WIGWAG_MCP_DAILY_SPEND: '2.5' }].map(spendOf)).toEqual([
      '5',
      '5',
      '2.5',
    ])
  })

  it('has a placeholder where a credential is not known', () => {
    const { env } = JSON.parse(configSnippet(client, { WIGWAG_CLIENT_ID: 'acme' })).mcpServers.wigwag
    expect(env).toEqual({
      WIGWAG_BASE_URL: 'https://gateway.example',
      WIGWAG_CLIENT_ID: 'acme',
      WIGWAG_CLIENT_SECRET: 'YOUR_CLIENT_SECRET',
      WIGWAG_WALLET_TOKEN: 'YOUR_WALLET_TOKEN',
      ...LIMIT,
    })
  })
})

describe('the file for VS Code', () => {
  it('prompts for each secret, and passes it to the server', () => {
    const { inputs, servers } = JSON.parse(configSnippet('vscode', given))
    expect(inputs).toEqual([
      {
        type: 'promptString',
        id: 'wigwag-client-secret',
        description: 'Wigwag client secret',
        password: true,
      },
      { type: 'promptString', id: 'wigwag-wallet-token', description: 'Wigwag wallet token', password: true },
    ])
    expect(servers).toEqual({
      wigwag: {
        type: 'stdio',
        ...started,
        env: {
          ...given,
          ...LIMIT,
          WIGWAG_CLIENT_SECRET: `\${input:${inputs[0].id}}`,
          WIGWAG_WALLET_TOKEN: `\${input:${inputs[1].id}}`,
        },
      },
    })
  })

  it('never contains a secret, because the file is shared', () => {
    const text = configSnippet('vscode', given)
    expect(text).not.toContain(given.WIGWAG_CLIENT_SECRET)
    expect(text).not.toContain(given.WIGWAG_WALLET_TOKEN)
  })
})

it.each(['claude-code', 'claude-desktop', 'cursor', 'vscode'])(
  'copies the limits that are set to %s, and nothing else of the environment',
  (client) => {
    const limits = { WIGWAG_MCP_DAILY_SPEND: '5', WIGWAG_MCP_RECIPIENTS: '233241234567,2335*' }
    const text = configSnippet(client, { ...given, ...limits, WIGWAG_MCP_STATE: '', HOME: '/home/somebody' })
    expect(text).toMatch(/WIGWAG_MCP_DAILY_SPEND[="]/)
    expect(text).toContain(limits.WIGWAG_MCP_RECIPIENTS)
    expect(text).not.toContain('WIGWAG_MCP_STATE')
    expect(text).not.toContain('/home/somebody')
  },
)

it('lists the clients it knows when it is asked for another', () => {
  expect(() => configSnippet('emacs', given)).toThrow(
    "Expected --client to be one of claude-code, claude-desktop, cursor, vscode; got 'emacs'.",
  )
  expect(() => configSnippet('constructor', given)).toThrow('Expected --client')
})

describe('the configuration for signing in at a connector', () => {
  const url = 'https://sms.example.com/mcp'

  it('is a command for Claude Code, whatever characters the address has', () => {
    const given = `${url}?a=1&b=$HOME`
    expect(claudeReceives(remoteSnippet('claude-code', given))).toEqual([
      'mcp',
      'add',
      '--transport',
      'http',
      'wigwag',
      given,
    ])
  })

  it('is only the address for Claude Desktop, which asks for it in a form', () => {
    expect(remoteSnippet('claude-desktop', url)).toBe(url)
  })

  it('is a file without a secret for Cursor and VS Code', () => {
    expect(JSON.parse(remoteSnippet('cursor', url))).toEqual({ mcpServers: { wigwag: { url } } })
    expect(JSON.parse(remoteSnippet('vscode', url))).toEqual({ servers: { wigwag: { type: 'http', url } } })
  })

  it.each(['', 'sms.example.com', 'ftp://sms.example.com/mcp', 'https://'])('is refused for %j', (wrong) => {
    expect(() => remoteSnippet('cursor', wrong)).toThrow(
      'Expected --url to be a URL such as https://sms.example',
    )
  })
})

describe('the link that adds the connector', () => {
  const url = 'https://sms.example.com/mcp'
  const secrets = [given.WIGWAG_CLIENT_SECRET, given.WIGWAG_WALLET_TOKEN]

  it('signs in at a connector from Cursor and VS Code', () => {
    expect(cursorAdds(remoteLink('cursor', url))).toEqual({ name: 'wigwag', config: { url } })
    expect(vsCodeAdds(remoteLink('vscode', url))).toEqual({ name: 'wigwag', type: 'http', url })
  })

  it.each([`${url}?a=1&b=%20%C3%A9+c`, `${url}?%7B%22x%22%3A1%7D&quote='"`, 'http://127.0.0.1:8080/mcp'])(
    'keeps the address, whatever characters it has: %s',
    (address) => {
      const { href } = new URL(address)
      expect(cursorAdds(remoteLink('cursor', address)).config).toEqual({ url: href })
      expect(vsCodeAdds(remoteLink('vscode', address))).toMatchObject({ url: href })
    },
  )

  it('starts the connector from Cursor, with placeholders for the secrets', () => {
    const { name, config } = cursorAdds(configLink('cursor', given))
    expect(name).toBe('wigwag')
    expect(config).toEqual({
      ...started,
      env: {
        ...given,
        ...LIMIT,
        WIGWAG_CLIENT_SECRET: 'YOUR_CLIENT_SECRET',
        WIGWAG_WALLET_TOKEN: 'YOUR_WALLET_TOKEN',
      },
    })
  })

  it('starts the connector from VS Code, which prompts for the secrets', () => {
    const { inputs, servers } = JSON.parse(configSnippet('vscode', given))
    expect(vsCodeAdds(configLink('vscode', given))).toEqual({ name: 'wigwag', inputs, ...servers.wigwag })
  })

  it.each(['cursor', 'vscode'])('contains no secret, in any encoding: %s', (client) => {
    const link = configLink(client, { ...given, WIGWAG_MCP_RECIPIENTS: '2332*' })
    const read = `${link} ${decodeURIComponent(link)} ${JSON.stringify(client === 'cursor' ? cursorAdds(link) : vsCodeAdds(link))}`
    expect(read).toContain('2332*')
    for (const secret of secrets) expect(read).not.toContain(secret)
  })

  it.each(['cursor', 'vscode'])('has no quotes, spaces or angle brackets: %s', (client) => {
    for (const link of [configLink(client, given), remoteLink(client, `${url}?a='b'&c="d"`)])
      expect(link).toMatch(/^(?:cursor:|vscode:)[\w:/.?=&%!~*()-]+$/)
  })

  it('exists for these two alone', () => {
    expect(() => configLink('claude-code', given)).toThrow(
      "Expected --client to be one of cursor, vscode with --link; got 'claude-code'.",
    )
    expect(() => remoteLink('claude-desktop', url)).toThrow('with --link')
    expect(() => remoteLink('cursor', 'javascript:alert(1)')).toThrow('Expected --url')
  })
})

/** Reads a link as Cursor does: a name, and an entry of its file in base64. */
function cursorAdds(link: string): { name: string | null; config: unknown } {
  const { protocol, host, pathname, searchParams } = new URL(link)
  expect([protocol, host, pathname]).toEqual(['cursor:', 'anysphere.cursor-deeplink', '/mcp/install'])
  expect([...searchParams.keys()]).toEqual(['name', 'config'])
  const config = Buffer.from(searchParams.get('config') ?? '', 'base64').toString()
  return { name: searchParams.get('name'), config: JSON.parse(config) }
}

/**
 * Reads a link as VS Code does. Its parser of addresses decodes the query, and its handler decodes it again.
 */
function vsCodeAdds(link: string): Record<string, unknown> {
  const [start, query = ''] = link.split('?')
  expect(start).toBe('vscode:mcp/install')
  return JSON.parse(decodeURIComponent(decodeURIComponent(query)))
}

/** The words that a shell hands to `claude` when the snippet is pasted into it. */
function claudeReceives(snippet: string): string[] {
  const script = `claude() { for word; do printf '%s\\0' "$word"; done; }\n${snippet}\n`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}
