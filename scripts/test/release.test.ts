import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const published = ['sdk', 'mcp', 'server']
const run = promisify(execFile)
const text = (file: string) => readFile(join(root, file), 'utf8')

describe('a release', () => {
  it('gives the packages one version, and each names that version of the others', async () => {
    const manifests = await Promise.all(
      published.map(async (name) => JSON.parse(await text(`packages/${name}/package.json`))),
    )
    const versions = manifests.flatMap(({ version, dependencies }) => [
      version,
      ...Object.entries(dependencies).flatMap(([name, wanted]) =>
        name.startsWith('@wigwag/') ? wanted : [],
      ),
    ])
    expect(new Set(versions).size).toBe(1)
    expect(JSON.parse(await text('.changeset/config.json')).fixed).toEqual([['@wigwag/*']])
  })

  it.each([
    ['sdk', ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/index.cjs']],
    ['mcp', ['LICENSE', 'README.md', 'dist/main.js']],
    ['server', ['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt', 'dist/main.js', 'assets/reference.js']],
  ])('packs of %s what it needs, and nothing of how it was made', async (name, needed) => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', `./packages/${name}`], { cwd: root })
    const files: string[] = Object.values<{ files: { path: string }[] }>(JSON.parse(stdout)).flatMap(
      (packed) => packed.files.map(({ path }) => path),
    )
    expect(files).toEqual(expect.arrayContaining(needed))
    expect(files.filter((file) => /^(src|test)\/|metafile|\.mcpb$|tsup|vitest/.test(file))).toEqual([])
  })

  it('names, with its licence, every package that the server contains', async () => {
    const notices = await text('packages/server/THIRD-PARTY-NOTICES.txt')
    for (const name of ['hono', 'drizzle-orm', 'commander', 'libphonenumber-js', 'zod']) {
      expect(notices).toContain(`\n${name}\n`)
    }
    expect(notices).toContain('Apache License')
    expect(notices).toContain('@scalar/api-reference')
  })

  it('is signed, tried before it is made, and needs no kept token', async () => {
    const { permissions, jobs } = parse(await text('.github/workflows/release.yml'))
    expect(permissions['id-token']).toBe('write')
    const steps: { run?: string; uses?: string; env?: Record<string, string> }[] = jobs.release.steps
    const publishes = steps.findIndex(({ uses }) => uses?.startsWith('changesets/action'))
    expect(steps[publishes]?.env).toMatchObject({ NPM_CONFIG_PROVENANCE: 'true' })
    expect(JSON.stringify(steps)).not.toContain('NPM_TOKEN')
    const trial = steps.findIndex(({ run }) => run?.startsWith('npm publish --dry-run'))
    expect(trial).toBeGreaterThan(-1)
    expect(trial).toBeLessThan(publishes)
    for (const name of published) expect(steps[trial]?.run).toContain(`packages/${name}`)
  })
})
