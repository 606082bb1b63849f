import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const packages = join(root, 'packages')
const run = promisify(execFile)

it.each(['mcp', 'smpp', 'conform', 'server'])(
  'what %s publishes imports no package that is not published',
  async (name) => {
    const dist = join(packages, name, 'dist')
    const files = (await readdir(dist)).filter((file) => /\.(?:js|d\.ts)$/.test(file))
    expect(files.length).toBeGreaterThan(1)
    for (const file of files) {
      const text = await readFile(join(dist, file), 'utf8')
      expect(text, file).not.toMatch(/(?:from|import)\s*\(?\s*['"]@wigwag\/contract['"]/)
    }
  },
)

describe.each(['sdk', 'mcp', 'smpp', 'conform', 'server'])('the package %s', (name) => {
  const text = (file: string) => readFile(join(packages, name, file), 'utf8')

  it('says where its source is, and brings its licence', async () => {
    const { repository, license } = JSON.parse(await text('package.json'))
    expect(repository).toEqual({
      type: 'git',
      url: 'git+https://github.com/wigwag/wigwag.git',
      directory: `packages/${name}`,
    })
    expect(license).toBe('MIT')
    expect(await text('LICENSE')).toBe(await readFile(join(root, 'LICENSE'), 'utf8'))
  })

  it('has a README whose links work where it is shown alone, and lead to pages that there are', async () => {
    const links = [...(await text('README.md')).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    expect(links.filter((link) => !/^(https:|#)/.test(link))).toEqual([])
    const pages = links.flatMap(
      (link) => /github\.com\/wigwag\/wigwag\/blob\/main\/([^#]+)/.exec(link)?.[1] ?? [],
    )
    expect(pages.filter((page) => !existsSync(join(root, page)))).toEqual([])
  })
})

describe('what the SDK publishes', () => {
  it('has source maps with the sources in them', async () => {
    const dist = join(packages, 'sdk', 'dist')
    const scripts = (await readdir(dist)).filter((file) => /\.c?js$/.test(file))
    expect(scripts).toContain('index.js')
    for (const script of scripts) {
      const map = JSON.parse(await readFile(join(dist, `${script}.map`), 'utf8'))
      expect(map.sourcesContent, script).toHaveLength(map.sources.length)
      expect(await readFile(join(dist, script), 'utf8'), script).toContain(`sourceMappingURL=${script}.map`)
    }
  })

  it('is as small as its README says, measured as `npm run check -- size` does', async () => {
    const readme = await readFile(join(packages, 'sdk', 'README.md'), 'utf8')
    const claimed = Number(/at most ([\d.]+) kB/.exec(readme)?.[1]) * 1000
    const program = join(root, 'node_modules', 'size-limit', 'bin.js')
    const { stdout } = await run(process.execPath, [program, '--json'], { cwd: root })
    const [client] = JSON.parse(stdout)
    expect(client).toMatchObject({
      name: 'createClient, with its dependency',
      passed: true,
      sizeLimit: claimed,
    })
    // A claim that has become too modest is wrong as well.
    expect(claimed - client.size).toBeLessThan(300)
  })
})
