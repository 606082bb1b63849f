import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import rootPackage from '../../package.json' with { type: 'json' }
import sdk from '../../packages/sdk/package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/decisions/toolchain.md'), 'utf8')

describe('packages that could end', () => {
  const pinned = {
    'openapi-typescript': rootPackage.devDependencies['openapi-typescript'],
    'openapi-fetch': sdk.dependencies['openapi-fetch'],
  }

  it.each(Object.entries(pinned))('%s has one exact version, and the page says which', (name, version) => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    const [row] = page.split('\n').filter((line) => line.startsWith(`| \`${name}\``))
    const [, first, , , instead] = row?.split('|') ?? []
    expect(first).toBe(` \`${name}\`, ${version} `)
    expect(instead).toMatch(/\w+ \w+ \w+/)
  })

  it('openapi-fetch is the same one in the tests of the root', () => {
    expect(rootPackage.devDependencies['openapi-fetch']).toBe(sdk.dependencies['openapi-fetch'])
  })
})

it('no source imports a file of a package that the package does not offer', () => {
  const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
  expect(files.length).toBeGreaterThan(500)
  const inner = files.flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /(?:from|import\(|module) '([^'.][^']*\/(?:lib|dist|src)\/[^']*)'/g,
      ),
    ].map(([, from]) => `${file}: ${from}`),
  )
  expect(inner).toEqual([])
})
