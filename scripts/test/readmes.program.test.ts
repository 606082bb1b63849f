import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { snippetsOf } from '../../packages/sdk/test/docs/snippets.ts'
import { runNode } from './tree.ts'

const root = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  ...['sdk', 'mcp', 'server'].map((name) => `packages/${name}/README.md`),
  ...['sdk', 'mcp', 'server', 'smpp', 'conform'].map((name) => `packages/${name}/AGENTS.md`),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md') && !/^(?:decisions|node_modules|\.vitepress)\//.test(file))
    // These are compiled elsewhere: the reference with its doc comments, the other beside three more packages.
    .filter((file) => !file.startsWith('sdk/reference/') && file !== 'sdk/coming-from.md')
    .map((file) => `docs/${file}`),
]

/** The settings that `tsc --init` writes, with the lines that it suggests for Node. */
const usual = {
  module: 'nodenext',
  target: 'esnext',
  types: ['node'],
  sourceMap: true,
  declaration: true,
  declarationMap: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  strict: true,
  jsx: 'react-jsx',
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noUncheckedSideEffectImports: true,
  moduleDetection: 'force',
  skipLibCheck: true,
  noEmit: true,
  // The guides name files as they are, for Node to run them.
  allowImportingTsExtensions: true,
}

// Inside the repository, so that the built packages are found from there.
const folder = mkdtempSync(join(import.meta.dirname, '.readmes-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }))

/** Each page in a folder of its own: its pieces import one another. */
const files = pages.flatMap((page) => {
  const place = page.replace(/\W+/g, '-')
  mkdirSync(join(folder, place))
  return snippetsOf(join(root, page)).map(({ file, code }) => {
    writeFileSync(join(folder, place, file), code)
    return `${place}/${file}`
  })
})

describe('every piece of TypeScript on a page', { timeout: 120_000 }, () => {
  it('is there', () => {
    expect(files).toContain('packages-sdk-README-md/client.ts')
    expect(files.length).toBeGreaterThan(18)
  })

  it.each([
    ['as `tsc --init` suggests for Node', { ...usual, lib: ['esnext'] }],
    ['as it is without a list of libraries', usual],
    ['for a bundler', { ...usual, module: 'preserve', moduleResolution: 'bundler' }],
  ])('compiles against the built packages with the usual settings, %s', async (_, compilerOptions) => {
    const config = join(folder, 'tsconfig.json')
    writeFileSync(config, JSON.stringify({ compilerOptions, files }))
    const { output } = await runNode([join(root, 'node_modules/typescript/bin/tsc'), '-p', config], folder)
    expect(output.replaceAll(`${relative(root, folder)}/`, '').replaceAll(basename(folder), '')).toBe('')
  })
})
