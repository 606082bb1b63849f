import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { UNRELEASED } from '../../first-release.ts'

const root = join(import.meta.dirname, '../../..')
const published = ['sdk', 'mcp', 'smpp', 'conform', 'server']
const run = promisify(execFile)
const text = (file: string) => readFile(join(root, file), 'utf8')

describe('a release', () => {
  it('gives the packages one version, and each names that version of the others', async () => {
    const manifests = await Promise.all(
      published.map(async (name) => JSON.parse(await text(`packages/${name}/package.json`))),
    )
    const versions = manifests.flatMap(({ version, dependencies = {} }) => [
      version,
      ...Object.entries(dependencies).flatMap(([name, wanted]) =>
        name.startsWith('@wigwag/') ? wanted : [],
      ),
    ])
    expect(new Set(versions).size).toBe(1)
    expect(JSON.parse(await text('.changeset/config.json')).fixed).toEqual([['@wigwag/*']])
  })

  it.each([
    ['sdk', ['AGENTS.md', 'LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/index.cjs']],
    ['mcp', ['AGENTS.md', 'LICENSE', 'README.md', 'dist/main.js']],
    ['smpp', ['AGENTS.md', 'LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/index.cjs']],
    ['conform', ['AGENTS.md', 'LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts']],
    [
      'server',
      [
        'AGENTS.md',
        'LICENSE',
        'README.md',
        'THIRD-PARTY-NOTICES.txt',
        'dist/main.js',
        'assets/console/reference.js',
      ],
    ],
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
  })

  it('contains of undici the client alone', async () => {
    const { inputs } = JSON.parse(await text('packages/server/dist/metafile-esm.json'))
    const contained = Object.keys(inputs).filter((path) => path.includes('/undici/'))
    expect(contained).toContainEqual(expect.stringMatching(/undici\/lib\/dispatcher\/client\.js$/))
    expect(contained.filter((path) => /\/(mock|cache|websocket|eventsource)\//.test(path))).toEqual([])
  })

  it('is tried, and tested, before it is made, and needs no kept token', async () => {
    const { pack, publish } = await jobsOf('release.yml')
    expect(pack?.needs).toContain('test')
    expect(publish?.needs).toBe('pack')
    const trial = pack?.steps.find(({ run }) => run?.startsWith('npm publish --dry-run'))
    for (const name of published) expect(trial?.run).toContain(`packages/${name}`)
    expect(await text('.github/workflows/release.yml')).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN|secrets\./)
  })

  it('is the first one only when a person has made it', async () => {
    const { versions, pack } = await jobsOf('release.yml')
    const first = versions?.steps.find(({ id }) => id === 'first')
    const made = async (changelog: string) => {
      const folder = await mkdtemp(join(tmpdir(), 'wigwag-release-'))
      await writeFile(join(folder, 'CHANGELOG.md'), changelog)
      const env = { ...process.env, GITHUB_OUTPUT: join(folder, 'output') }
      await run('bash', ['-eo', 'pipefail', '-c', first?.run ?? ''], { cwd: folder, env })
      const said = await readFile(join(folder, 'output'), 'utf8')
      await rm(folder, { recursive: true })
      return said
    }
    expect(await made(`## 0.1.0${UNRELEASED}\n`)).toBe('made=no\n')
    expect(await made('## 0.1.0\n')).toBe('made=yes\n')
    // A step that is skipped has no outputs.
    expect(versions?.steps.find(({ id }) => id === 'changesets')?.if).toBe(
      "steps.first.outputs.made == 'yes'",
    )
    expect(pack?.if).toBe("needs.versions.outputs.waiting == 'false'")
  })

  it('is signed by a job that runs nothing of the repository, as the site is published by one', async () => {
    const files = await readdir(join(root, '.github/workflows'))
    const signing: string[] = []
    for (const file of files) {
      const { permissions } = parse(await text(`.github/workflows/${file}`))
      expect(Object.values({ ...permissions }), file).not.toContain('write')
      for (const [name, job] of Object.entries(await jobsOf(file))) {
        expect(job.permissions ?? permissions, `${file} ${name}`).toBeInstanceOf(Object)
        if (job.permissions && 'id-token' in job.permissions) signing.push(`${file} ${name}`)
      }
    }
    expect(signing.toSorted()).toEqual(['release.yml publish', 'site.yml publish'])
    const { publish: publishSite } = await jobsOf('site.yml')
    expect(publishSite?.steps.map(({ uses }) => uses?.replace(/@.*/, ''))).toEqual(['actions/deploy-pages'])

    const { publish } = await jobsOf('release.yml')
    expect(publish?.permissions).toEqual({ 'id-token': 'write' })
    expect(publish?.steps.flatMap(({ uses }) => uses?.replace(/@.*/, '') ?? [])).toEqual([
      'actions/setup-node',
      'actions/download-artifact',
    ])
    const commands = publish?.steps.map(({ run }) => run ?? '').join('\n')
    expect(commands).not.toMatch(/npm (ci|install|run|exec|test)|npx|scripts\//)
    expect(commands).toContain('--ignore-scripts --provenance')
  })

  it('names every action by its commit, with the tag beside it', async () => {
    for (const file of await readdir(join(root, '.github/workflows'))) {
      const uses = [...(await text(`.github/workflows/${file}`)).matchAll(/\buses:.*/g)].map(([line]) => line)
      expect(uses.length, file).toBeGreaterThan(0)
      for (const line of uses) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    }
  })

  it('publishes what was packed and is not on npm yet, the SDK first', async () => {
    const { publish } = await jobsOf('release.yml')
    const script = publish?.steps.find(({ id }) => id === 'publish')?.run ?? ''
    const folder = await mkdtemp(join(tmpdir(), 'wigwag-release-'))
    try {
      await mkdir(join(folder, 'packed'))
      await mkdir(join(folder, 'package'))
      for (const name of published) {
        await writeFile(join(folder, 'package/package.json'), JSON.stringify({ version: '1.2.3' }))
        await run('tar', ['-czf', `packed/wigwag-${name}-1.2.3.tgz`, 'package'], { cwd: folder })
      }
      // In the place of npm, where the connector is already.
      const npm = `#!/usr/bin/env bash
        echo "$*" >> calls
        if [ "$1 $2" = 'view @wigwag/mcp@1.2.3' ]; then echo 1.2.3; elif [ "$1" = view ]; then exit 1; fi`
      await writeFile(join(folder, 'npm'), npm, { mode: 0o755 })
      const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, GITHUB_OUTPUT: 'output' }
      await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { cwd: folder, env })
      const calls = (await readFile(join(folder, 'calls'), 'utf8')).trimEnd().split('\n')
      expect(calls.filter((call) => call.startsWith('publish'))).toEqual([
        'publish ./packed/wigwag-sdk-1.2.3.tgz --ignore-scripts --provenance --access public',
        'publish ./packed/wigwag-smpp-1.2.3.tgz --ignore-scripts --provenance --access public',
        'publish ./packed/wigwag-conform-1.2.3.tgz --ignore-scripts --provenance --access public',
        'publish ./packed/wigwag-server-1.2.3.tgz --ignore-scripts --provenance --access public',
      ])
      const tags = published.map((name) => `@wigwag/${name}@1.2.3`).join(' ')
      expect(await readFile(join(folder, 'output'), 'utf8')).toBe(`tags= ${tags}\n`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

interface Job {
  if?: string
  needs?: string | string[]
  permissions?: Record<string, string>
  steps: { id?: string; if?: string; run?: string; uses?: string }[]
}

async function jobsOf(file: string): Promise<Record<string, Job>> {
  return parse(await text(`.github/workflows/${file}`)).jobs
}
