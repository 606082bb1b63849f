import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const source = join(import.meta.dirname, '../src')

describe('the source', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const codeOf = (name: string) => readFileSync(join(source, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  /** Types of the contract, and its rules for texts, are written into the package's own. */
  const RULES = /^@wigwag\/contract\/(?:content|recipient|segments)$/
  const importsOf = (name: string) =>
    [...codeOf(name).matchAll(/^(.*) from '([^'.][^']*)'/gm)]
      .filter(([, what, from]) => !(what?.startsWith('import type') && from === '@wigwag/contract/openapi'))
      .filter(([, , from = '']) => !RULES.test(from))
      .map(([, , from]) => from)
  const isForTests = (name: string) => name.startsWith('testing/')
  const isForNode = (name: string) => name.startsWith('node/')

  it('needs no package but openapi-fetch', () => {
    const imports = files.filter((name) => !isForNode(name) && !isForTests(name)).flatMap(importsOf)
    expect(new Set(imports)).toEqual(new Set(['openapi-fetch']))
  })

  it('needs nothing but itself where it is for tests', () => {
    expect(new Set(files.filter(isForTests).flatMap(importsOf))).toEqual(new Set(['@wigwag/sdk']))
  })

  it('needs undici, and of Node its types, where it is for Node alone', () => {
    const code = files.filter(isForNode).map(codeOf).join('\n')
    expect(code.match(/^import (?!type).* from '[^'.].*'$/gm)).toEqual([
      "import { Agent, EnvHttpProxyAgent } from 'undici'",
    ])
  })

  it.each(files)('%s exports names only', (name) => {
    expect(codeOf(name)).not.toMatch(/export default/)
  })
})
