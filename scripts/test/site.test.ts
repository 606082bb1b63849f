import { existsSync, globSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSite } from '../../docs/.vitepress/pages.ts'

const root = join(import.meta.dirname, '../..')
const site = readSite(root)
const paths = site.pages.map(({ path }) => path)

describe('the contents of the site', () => {
  it('have every page of docs/ and every README of a published package, once', () => {
    const docs = globSync('docs/**/*.md', { cwd: root }).map((file) => file.replaceAll('\\', '/'))
    const pages = docs.filter((file) => !/^docs\/(?:node_modules|\.vitepress)\//.test(file))
    const packages = ['sdk', 'mcp', 'smpp', 'conform', 'server'].map((name) => `packages/${name}/README.md`)
    const expected = ['README.md', ...packages, ...pages]
    expect(site.pages.map(({ source }) => source).toSorted()).toEqual(expected.toSorted())
    expect(paths).toEqual([...new Set(paths)])
  })

  it('are by the roles of the table in the README', () => {
    expect(site.sections.map(({ title }) => title)).toEqual([
      'Build with it',
      'Connect an assistant',
      'Run it',
      'Use it as a customer',
      'Look inside',
    ])
  })

  it('say in one line what a reader finds on a page', () => {
    for (const { path, says } of site.pages) {
      expect(says.length, path).toBeGreaterThan(10)
      expect(says, path).not.toMatch(/\n|\.$/)
    }
  })
})

describe('a page of the site', () => {
  it.each(site.pages.map((page) => [page.path, page] as const))(
    '%s leads to pages of the site, and outside of it to files of the repository',
    (path, { text }) => {
      const links = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(
        ([, link = '']) => link,
      )
      for (const link of links) {
        const [target = ''] = link.split('#')
        const [, place] =
          /^https:\/\/github\.com\/wigwag\/wigwag\/(?:blob|tree)\/main\/(.+)$/.exec(target) ?? []
        if (place !== undefined) expect(existsSync(join(root, place)), link).toBe(true)
        else if (target !== '' && !/^https?:/.test(target)) {
          const to = posix.join(dirname(path), target)
          expect(
            to.startsWith('pictures/') ? existsSync(join(root, 'docs', to)) : paths.includes(to),
            link,
          ).toBe(true)
        }
      }
    },
  )

  it('has the comments of the repository left out, and its code as it is', () => {
    for (const { path, text } of site.pages) expect(text, path).not.toMatch(/^<!--/m)
    const operating = site.pages.find(({ path }) => path === 'operating.md')
    expect(operating?.text).toContain('```sh\nwigwag doctor\n```')
  })
})

describe('the reference of the SDK', () => {
  it('is a page a name, and an index of links to all of them', () => {
    const index = site.pages.find(({ path }) => path === 'sdk/index.md')?.text ?? ''
    const names = site.pages.filter(({ path }) => path.startsWith('sdk/reference/'))
    expect(names.length).toBeGreaterThan(100)
    for (const { path, text } of names) {
      expect(index).toContain(`](${path.slice('sdk/'.length)})`)
      expect(text.split(/\s+/).length, path).toBeLessThan(1_000)
    }
  })
})
