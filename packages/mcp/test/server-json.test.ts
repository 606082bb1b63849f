import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import packageJson from '../package.json' with { type: 'json' }
import { configSnippet } from '../src/index.ts'

/** The registry's schema of 2025-12-11, as far as an npm package with the stdio transport needs it. */
const version = z
  .string()
  .max(255)
  .regex(/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/)
const environmentVariable = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  placeholder: z.string().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
})
const serverJson = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.string(),
      version,
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      environmentVariables: z.array(environmentVariable),
    }),
  ]),
})

const read = () =>
  serverJson.parse(JSON.parse(readFileSync(new URL('../server.json', import.meta.url), 'utf8')))

describe('server.json', () => {
  it('fits the schema of the registry of MCP servers', () => {
    expect(read).not.toThrow()
  })

  it('matches the name and the version of the package', () => {
    const { name, version, packages } = read()
    expect([version, packages[0].version]).toEqual([packageJson.version, packageJson.version])
    expect(packageJson.mcpName).toBe(name)
    expect(packages[0].identifier).toBe(packageJson.name)
  })

  it('lists the variables that the connector reads, and marks the required and the secret ones', () => {
    const variables = read().packages[0].environmentVariables
    const names = variables.map(({ name }) => name)
    const all = Object.fromEntries(
      names.map((name) => [name, name === 'WIGWAG_BASE_URL' ? 'https://gateway.example' : '1']),
    )
    const { env } = JSON.parse(configSnippet('cursor', all)).mcpServers.wigwag
    expect(names).toEqual(Object.keys(env))
    expect(variables.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual(
      Object.keys(JSON.parse(configSnippet('cursor', {})).mcpServers.wigwag.env),
    )
    expect(variables.filter(({ isSecret }) => isSecret).map(({ name }) => name)).toEqual([
      'WIGWAG_CLIENT_SECRET',
      'WIGWAG_WALLET_TOKEN',
    ])
  })
})
