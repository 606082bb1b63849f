import { describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import serverJson from '../server.json' with { type: 'json' }
import { configSnippet } from '../src/index.ts'
import { faultsOf } from './fixtures/published-schema.ts'

const { name, version, packages, remotes } = serverJson
const [published] = packages
const variables = published?.environmentVariables ?? []

describe('server.json', () => {
  it('fits the schema that the registry of MCP servers publishes', () => {
    expect(serverJson.$schema).toContain('/schemas/2025-12-11/')
    expect(faultsOf(serverJson, 'server-2025-12-11.schema.json')).toEqual([])
  })

  it('is measured by a schema that finds what is wrong', () => {
    const wrong = { ...serverJson, name: 'wigwag', description: 'x'.repeat(101), remotes: [{ type: 'http' }] }
    const faults = faultsOf(wrong, 'server-2025-12-11.schema.json').join('\n')
    for (const path of ['/name', '/description', '/remotes/0']) expect(faults).toContain(`${path} must `)
  })

  // The registry asks npm for the package, and takes only one whose `mcpName` is the name of the server.
  it('matches the name and the version of the package', () => {
    expect([version, published?.version]).toEqual([packageJson.version, packageJson.version])
    expect(packageJson.mcpName).toBe(name)
    expect(published?.identifier).toBe(packageJson.name)
  })

  it('lists the variables that the connector reads, and marks the required and the secret ones', () => {
    const names = variables.map((variable) => variable.name)
    const all = Object.fromEntries(
      names.map((name) => [name, name === 'WIGWAG_BASE_URL' ? 'https://gateway.example' : '1']),
    )
    const { env } = JSON.parse(configSnippet('cursor', all)).mcpServers.wigwag
    expect(names).toEqual(Object.keys(env))
    const { WIGWAG_MCP_DAILY_SPEND: _, ...required } = JSON.parse(configSnippet('cursor', {})).mcpServers
      .wigwag.env
    expect(variables.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual(
      Object.keys(required),
    )
    expect(variables.filter(({ isSecret }) => isSecret).map(({ name }) => name)).toEqual([
      'WIGWAG_CLIENT_SECRET',
      'WIGWAG_WALLET_TOKEN',
    ])
  })

  it('names the tools of any gateway, by its host', () => {
    const [remote] = remotes
    const asked = Object.keys(remote?.variables ?? {})
    expect(asked).toHaveLength(1)
    expect(remote?.url.replace(`{${asked[0]}}`, 'sms.example.com')).toBe('https://sms.example.com/mcp')
    // The registry wants the scheme in plain sight, and refuses a URL that another server has.
    expect(remote?.url).toMatch(/^https:\/\/\{wigwag_\w+\}\//)
  })
})
